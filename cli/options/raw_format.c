/* SPDX-License-Identifier: BSD-2-Clause */
/* The size and pixel format of raw frames: "WIDTHxHEIGHT:FORMAT". */
#include "options/raw_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/error_line.h"

#define MAX_SIDE 100000

static const PixelFormat formats[] = {
    {"gray", 1, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_B_W},
    {"ya8", 2, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_B_W},
    {"rgb24", 3, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_sRGB},
    {"rgba", 4, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_sRGB},
    {"gray16le", 1, VIPS_FORMAT_USHORT, VIPS_INTERPRETATION_GREY16},
    {"rgb48le", 3, VIPS_FORMAT_USHORT, VIPS_INTERPRETATION_RGB16},
    {"rgba64le", 4, VIPS_FORMAT_USHORT, VIPS_INTERPRETATION_RGB16},
    {"grayf32le", 1, VIPS_FORMAT_FLOAT, VIPS_INTERPRETATION_B_W},
};

static const PixelFormat *find_pixel_format(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static bool parse_side(const char **at, char end, int *side)
{
    char *rest;
    errno = 0;
    long value = **at >= '1' && **at <= '9' ? strtol(*at, &rest, 10) : 0;
    if (value < 1 || value > MAX_SIDE || errno != 0 || *rest != end)
        return false;
    *side = (int)value;
    *at = rest + 1;
    return true;
}

bool raw_format_parse(const char *text, RawFormat *format)
{
    const char *at = text;
    if (!parse_side(&at, 'x', &format->width) || !parse_side(&at, ':', &format->height))
        return false;
    format->pixels = find_pixel_format(at);
    if (!format->pixels)
        return false;
    format->bytes = (size_t)format->width * (size_t)format->height * (size_t)format->pixels->bands *
                    (size_t)vips_format_sizeof_unsafe(format->pixels->samples);
    return true;
}

bool raw_format_check(const char *text)
{
    RawFormat format;
    if (raw_format_parse(text, &format))
        return true;
    GString *list = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        g_string_append_printf(list, "%s %s", i == 0 ? "" : ",", formats[i].name);
    print_usage_error("--raw must be WIDTHxHEIGHT:FORMAT, not '%s'; formats are%s", text,
                      list->str);
    g_string_free(list, TRUE);
    return false;
}
