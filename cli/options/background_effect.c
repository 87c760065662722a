/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of the background. */
#include "options/background_effect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char tint[] = "tint=", image[] = "image=";

bool effect_colour(const char *text, double colour[3])
{
    if (text[0] != '#' || strlen(text) != 7)
        return false;
    for (int i = 0; i < 3; i++) {
        char digits[3] = {text[1 + 2 * i], text[2 + 2 * i], '\0'};
        if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
            return false;
        colour[i] = (double)strtol(digits, NULL, 16) / 255;
    }
    return true;
}

/* Reads it; false if it is none. */
static bool parse(const char *text, Effect *effect)
{
    *effect = (Effect){.kind = EFFECT_SMOOTH, .colour = {0.5, 0.5, 0.5}};
    if (strcmp(text, "smooth") == 0)
        return true;
    effect->kind = EFFECT_GREY;
    if (strcmp(text, "grey") == 0)
        return true;
    effect->kind = EFFECT_TINT;
    if (strncmp(text, tint, strlen(tint)) == 0)
        return effect_colour(text + strlen(tint), effect->colour);
    effect->kind = EFFECT_IMAGE;
    effect->file = text + strlen(image);
    return strncmp(text, image, strlen(image)) == 0 && *effect->file != '\0';
}

bool effect_check(const char *text)
{
    Effect effect;
    if (parse(text, &effect))
        return true;
    fprintf(stderr, "cof: --background wants smooth, grey, tint=#RRGGBB or image=FILE, not '%s'\n",
            text);
    return false;
}

Effect effect_read(const char *text)
{
    Effect effect;
    parse(text ? text : "smooth", &effect);
    return effect;
}
