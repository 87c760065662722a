/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames without a header, through pipes: each is filtered like a picture. */
#include "commands/raw_frames.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>

#include "ui/error_line.h"
#include "vips/vips_call.h"

#define LONGEST_SIDE 100000

/* As ffmpeg calls them. */
typedef struct Format {
    const char *name;
    int bands;
    VipsBandFormat samples;
    VipsInterpretation interpretation;
} Format;

static const Format formats[] = {
    {"gray", 1, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_B_W},
    {"ya8", 2, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_B_W},
    {"rgb24", 3, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_sRGB},
    {"rgba", 4, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_sRGB},
    {"gray16le", 1, VIPS_FORMAT_USHORT, VIPS_INTERPRETATION_GREY16},
    {"rgb48le", 3, VIPS_FORMAT_USHORT, VIPS_INTERPRETATION_RGB16},
    {"rgba64le", 4, VIPS_FORMAT_USHORT, VIPS_INTERPRETATION_RGB16},
    {"grayf32le", 1, VIPS_FORMAT_FLOAT, VIPS_INTERPRETATION_B_W},
};

typedef struct Frames {
    int width, height;
    const Format *format;
    size_t bytes;
} Frames;

static const Format *format_named(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static bool read_side(const char **at, char end, int *side)
{
    char *rest;
    errno = 0;
    long value = **at >= '1' && **at <= '9' ? strtol(*at, &rest, 10) : 0;
    if (value < 1 || value > LONGEST_SIDE || errno != 0 || *rest != end)
        return false;
    *side = (int)value;
    *at = rest + 1;
    return true;
}

static bool read_frames(const char *text, Frames *frames)
{
    const char *at = text;
    if (!read_side(&at, 'x', &frames->width) || !read_side(&at, ':', &frames->height))
        return false;
    frames->format = format_named(at);
    if (!frames->format)
        return false;
    frames->bytes = (size_t)frames->width * (size_t)frames->height * (size_t)frames->format->bands *
                    (size_t)vips_format_sizeof_unsafe(frames->format->samples);
    return true;
}

bool raw_frames_check(const char *text)
{
    Frames frames;
    if (read_frames(text, &frames))
        return true;
    fprintf(stderr, "cof: --raw wants WIDTHxHEIGHT:FORMAT, not '%s'; formats are", text);
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        fprintf(stderr, "%s %s", i == 0 ? "" : ",", formats[i].name);
    fputc('\n', stderr);
    return false;
}

static VipsImage *image_of(const Frames *frames, const void *bytes)
{
    const Format *format = frames->format;
    VipsImage *raw = vips_image_new_from_memory(bytes, frames->bytes, frames->width, frames->height,
                                                format->bands, format->samples);
    VipsImage *image = NULL;
    if (raw)
        vips_copy(raw, &image, "interpretation", format->interpretation, NULL);
    VIPS_UNREF(raw);
    return image;
}

static bool filter_frame(const Arguments *a, const Frames *frames, const Pictures *pictures,
                         VipsBlob *model, const void *bytes)
{
    VipsImage *in = image_of(frames, bytes), *out = NULL;
    size_t size = 0;
    void *filtered = NULL;
    bool ok = in && operation_smooth(a, pictures, model, in, &out);
    if (ok)
        filtered = vips_image_write_to_memory(out, &size);
    ok = ok && filtered && size == frames->bytes;
    if (!ok)
        complain_vips("standard input", "cannot be filtered");
    if (ok && (fwrite(filtered, 1, size, stdout) != size || fflush(stdout) != 0)) {
        complain("standard output", strerror(errno));
        ok = false;
    }
    g_free(filtered);
    VIPS_UNREF(in);
    VIPS_UNREF(out);
    return ok;
}

/* Side pictures are as large as a frame. */
static bool open_pictures(const Arguments *a, const Frames *frames, Pictures *pictures)
{
    VipsImage *size = NULL;
    if (vips_black(&size, frames->width, frames->height, NULL) != 0)
        return false;
    bool ok = pictures_open(pictures, a, size);
    g_object_unref(size);
    return ok;
}

bool raw_frames_filter(const Arguments *a)
{
    Frames frames;
    Pictures pictures = {0};
    read_frames(a->raw, &frames); /* checked before */
    void *bytes = g_try_malloc(frames.bytes);
    if (!bytes)
        complain("standard input", "not enough memory");
    VipsBlob *model = bytes && a->model ? operation_read_model(a->model) : NULL;
    bool ok = bytes && (model || !a->model) && open_pictures(a, &frames, &pictures);
    vips_cache_set_max(0); /* no frame comes again */
    while (ok) {
        size_t n = fread(bytes, 1, frames.bytes, stdin);
        if (n == 0)
            break;
        if (n < frames.bytes) {
            complain("standard input", "the last frame is cut off");
            ok = false;
        }
        ok = ok && filter_frame(a, &frames, &pictures, model, bytes);
    }
    if (model)
        vips_area_unref(VIPS_AREA(model));
    pictures_close(&pictures);
    g_free(bytes);
    return ok;
}
