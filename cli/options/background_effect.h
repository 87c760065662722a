/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of the background. */
#ifndef COF_BACKGROUND_EFFECT_H
#define COF_BACKGROUND_EFFECT_H

#include <stdbool.h>

typedef enum EffectKind { EFFECT_SMOOTH, EFFECT_GREY, EFFECT_TINT, EFFECT_IMAGE } EffectKind;

typedef struct Effect {
    EffectKind kind;
    double colour[3]; /* of EFFECT_TINT and EFFECT_GREY: sRGB, 0..1 */
    const char *file; /* of EFFECT_IMAGE */
} Effect;

/* Complains, and returns false, if it cannot be read. */
bool effect_check(const char *text);

/* Of text that has been checked; NULL: EFFECT_SMOOTH. */
Effect effect_read(const char *text);

/* "#RRGGBB"; false if it is none. */
bool effect_colour(const char *text, double colour[3]);

#endif
