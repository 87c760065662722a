/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters that a host sets, and their conversion to options and settings. */
#ifndef COF_FREI0R_PARAMETERS_H
#define COF_FREI0R_PARAMETERS_H

#include <frei0r.h>
#include <stdbool.h>
#include <stdint.h>

#include "cof/cof.h"

#define PARAMETERS 11

/* Numbers are 0 to 1. Interpolated keyframes may overshoot a little, so that numbers up to these
 * are clamped; numbers beyond them are mistakes, such as 15 pixels instead of 0.15. */
#define LOWEST_CLAMPED (-0.5)
#define HIGHEST_CLAMPED 1.5

typedef struct Parameters {
    double numbers[PARAMETERS]; /* 0..1, in the host's units */
    double wrong[PARAMETERS];   /* a number that is a mistake; 0: none */
    char *texts[PARAMETERS];    /* text parameters; NULL: the default */
    unsigned revision;          /* incremented when a text changes */
} Parameters;

/* The parameters that are not options of the library, and what the plug-in itself must know. */
typedef struct FilterSettings {
    bool changes_nothing; /* the strength is 0 */
    int relearn_interval; /* frames between two learning steps; 0: learn only once */
    double adapt;         /* exponential update rate; 0: no update */
    const char *model;    /* file name, valid until a parameter is set; NULL: none */
    unsigned revision;
} FilterSettings;

void parameters_init(Parameters *parameters);
void parameters_clear(Parameters *parameters);

/* An index out of range is ignored, and described by empty strings. */
void parameters_describe(int index, f0r_param_info_t *info);
void parameters_set(Parameters *parameters, int index, const void *value);
void parameters_get(const Parameters *parameters, int index, void *value);

FilterSettings parameters_settings(const Parameters *parameters);

/* The options for frames of this size: those of the preset, then all parameters that do not have
 * their default value. Fails if there is no such preset; problem->option is its name then. */
CofStatus parameters_options(const Parameters *parameters, int width, int height,
                             CofOptions *options, CofProblem *problem);

#define MAX_MISTAKE 64

/* The name of a parameter whose number is a mistake, and what is wrong with it; NULL: none. */
const char *parameters_mistake(const Parameters *parameters, char cause[MAX_MISTAKE]);

#endif
