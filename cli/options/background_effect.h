/* SPDX-License-Identifier: BSD-2-Clause */
/* The effect that is applied to the background. */
#ifndef COF_BACKGROUND_EFFECT_H
#define COF_BACKGROUND_EFFECT_H

#include <stdbool.h>

typedef enum BackgroundKind {
    BACKGROUND_SMOOTH,
    BACKGROUND_GREY,
    BACKGROUND_TRANSPARENT,
    BACKGROUND_TINT,
    BACKGROUND_IMAGE
} BackgroundKind;

typedef struct BackgroundEffect {
    BackgroundKind kind;
    double colour[3]; /* sRGB, 0..1, for BACKGROUND_TINT and BACKGROUND_GREY */
    const char *file; /* for BACKGROUND_IMAGE */
} BackgroundEffect;

/* Prints an error and returns false if the text is malformed. */
bool background_effect_check(const char *text);

/* Parses text that has been checked; NULL stands for BACKGROUND_SMOOTH. */
BackgroundEffect background_effect_parse(const char *text);

#endif
