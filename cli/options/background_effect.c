/* SPDX-License-Identifier: BSD-2-Clause */
/* The effect that is applied to the background. */
#include "options/background_effect.h"

#include <string.h>

#include "options/colour_names.h"
#include "options/spelling.h"
#include "ui/error_line.h"

static const char tint[] = "tint=", image[] = "image=";

static bool parse(const char *text, BackgroundEffect *effect)
{
    *effect = (BackgroundEffect){.kind = BACKGROUND_SMOOTH, .colour = {0.5, 0.5, 0.5}};
    if (strcmp(text, "smooth") == 0)
        return true;
    effect->kind = BACKGROUND_GREY;
    if (is_word(text, "grey"))
        return true;
    effect->kind = BACKGROUND_TRANSPARENT;
    if (strcmp(text, "transparent") == 0)
        return true;
    effect->kind = BACKGROUND_TINT;
    if (strncmp(text, tint, strlen(tint)) == 0)
        return parse_colour(text + strlen(tint), effect->colour);
    effect->kind = BACKGROUND_IMAGE;
    effect->file = text + strlen(image);
    return strncmp(text, image, strlen(image)) == 0 && *effect->file != '\0';
}

bool background_effect_check(const char *text)
{
    BackgroundEffect effect;
    if (parse(text, &effect))
        return true;
    print_usage_error(
        "--background must be smooth, grey, transparent, tint=COLOUR or image=FILE, not "
        "'%s'",
        text);
    return false;
}

BackgroundEffect background_effect_parse(const char *text)
{
    BackgroundEffect effect;
    parse(text ? text : "smooth", &effect);
    return effect;
}
