/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a host sets, and what it means to the filter. */
#ifndef COF_FREI0R_PARAMETERS_H
#define COF_FREI0R_PARAMETERS_H

#include <frei0r.h>
#include <stdbool.h>
#include <stdint.h>

#define PARAMETERS 10

enum { UNKNOWN_LOOK = -2, NO_LOOK };

/* A strength of 1. */
#define FULL_STRENGTH 32768

typedef struct Parameters {
    double numbers[PARAMETERS]; /* 0..1, as the host sees them */
    char *texts[PARAMETERS];    /* of those that are texts; NULL: the usual one */
    unsigned revision;          /* changes with each of them */
} Parameters;

/* The same, in the units of the library, and inside its limits whatever a host has set. */
typedef struct FilterSettings {
    int look; /* a CofLook, which sets window, softness, iterations, fast and colours; or NO_LOOK,
               * or UNKNOWN_LOOK */
    uint32_t strength; /* 0..FULL_STRENGTH: how much of the filtered picture is seen */
    int window;
    double softness;
    int iterations;
    bool fast;
    int every;         /* frames from lesson to lesson; 0: the first is the last */
    double adapt;      /* how much a new frame counts in what is known; 0: it does not */
    const char *model; /* as long as the parameters live and nothing is set; NULL: none */
    unsigned revision;
    int colours;
} FilterSettings;

void parameters_init(Parameters *parameters);
void parameters_clear(Parameters *parameters);

/* Those that do not exist are ignored, and are described as nothing. */
void parameters_describe(int index, f0r_param_info_t *info);
void parameters_set(Parameters *parameters, int index, const void *value);
void parameters_get(const Parameters *parameters, int index, void *value);

FilterSettings parameters_read(const Parameters *parameters);

#endif
