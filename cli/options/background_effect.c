/* SPDX-License-Identifier: BSD-2-Clause */
/* The effect that is applied to the background. */
#include "options/background_effect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/spelling.h"

static const char tint[] = "tint=", image[] = "image=";

bool parse_hex_colour(const char *text, double colour[3])
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

static bool parse(const char *text, BackgroundEffect *effect)
{
    *effect = (BackgroundEffect){.kind = BACKGROUND_SMOOTH, .colour = {0.5, 0.5, 0.5}};
    if (strcmp(text, "smooth") == 0)
        return true;
    effect->kind = BACKGROUND_GREY;
    if (is_word(text, "grey"))
        return true;
    effect->kind = BACKGROUND_TINT;
    if (strncmp(text, tint, strlen(tint)) == 0)
        return parse_hex_colour(text + strlen(tint), effect->colour);
    effect->kind = BACKGROUND_IMAGE;
    effect->file = text + strlen(image);
    return strncmp(text, image, strlen(image)) == 0 && *effect->file != '\0';
}

bool background_effect_check(const char *text)
{
    BackgroundEffect effect;
    if (parse(text, &effect))
        return true;
    fprintf(stderr,
            "cof: --background must be smooth, grey, tint=#RRGGBB or image=FILE, not '%s'\n", text);
    return false;
}

BackgroundEffect background_effect_parse(const char *text)
{
    BackgroundEffect effect;
    parse(text ? text : "smooth", &effect);
    return effect;
}
