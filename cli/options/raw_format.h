/* SPDX-License-Identifier: BSD-2-Clause */
/* The size and pixel format of raw frames: "WIDTHxHEIGHT:FORMAT". */
#ifndef COF_RAW_FORMAT_H
#define COF_RAW_FORMAT_H

#include <stdbool.h>
#include <vips/vips.h>

typedef struct PixelFormat {
    const char *name; /* as ffmpeg calls it */
    int bands;
    VipsBandFormat samples;
    VipsInterpretation interpretation;
} PixelFormat;

typedef struct RawFormat {
    int width, height;
    const PixelFormat *pixels;
    size_t bytes; /* of a frame */
} RawFormat;

/* Returns false if the text is malformed. */
bool raw_format_parse(const char *text, RawFormat *format);

/* Prints an error and returns false if the text is malformed. */
bool raw_format_check(const char *text);

#endif
