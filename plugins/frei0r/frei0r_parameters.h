/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters that a host sets, and their conversion to filter settings. */
#ifndef COF_FREI0R_PARAMETERS_H
#define COF_FREI0R_PARAMETERS_H

#include <frei0r.h>
#include <stdbool.h>
#include <stdint.h>

#define PARAMETERS 10

enum { UNKNOWN_LOOK = -2, NO_LOOK };

/* Fixed-point representation of strength 1. */
#define FULL_STRENGTH 32768

typedef struct Parameters {
    double numbers[PARAMETERS]; /* 0..1, in the host's units */
    char *texts[PARAMETERS];    /* text parameters; NULL: the default */
    unsigned revision;          /* incremented when a text changes */
} Parameters;

/* The parameters in the library's units, clamped to its ranges. */
typedef struct FilterSettings {
    int look; /* a CofLook, which sets window, softness, iterations, fast and colours; or NO_LOOK,
               * or UNKNOWN_LOOK */
    uint32_t strength; /* 0..FULL_STRENGTH: weight of the filtered image */
    int window;
    double softness;
    int iterations;
    bool fast;
    int every;         /* frames between two learning steps; 0: learn only once */
    double adapt;      /* exponential update rate; 0: no update */
    const char *model; /* file name, valid until a parameter is set; NULL: none */
    unsigned revision;
    int colours;
} FilterSettings;

void parameters_init(Parameters *parameters);
void parameters_clear(Parameters *parameters);

/* An index out of range is ignored, and described by empty strings. */
void parameters_describe(int index, f0r_param_info_t *info);
void parameters_set(Parameters *parameters, int index, const void *value);
void parameters_get(const Parameters *parameters, int index, void *value);

FilterSettings parameters_read(const Parameters *parameters);

#endif
