/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw frames, each filtered like an image of its own. */
#include "commands/raw_frames.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <vips/vips.h>

#include "options/raw_format.h"
#include "ui/error_line.h"
#include "ui/message_stream.h"
#include "vips/vips_call.h"
#include "vips/vips_fault.h"

static VipsImage *frame_image(const RawFormat *format, const void *bytes)
{
    const PixelFormat *pixels = format->pixels;
    VipsImage *raw = vips_image_new_from_memory(bytes, format->bytes, format->width, format->height,
                                                pixels->bands, pixels->samples);
    VipsImage *image = NULL;
    if (raw)
        vips_copy(raw, &image, "interpretation", pixels->interpretation, NULL);
    VIPS_UNREF(raw);
    return image;
}

static bool filter_frame(const Arguments *a, const RawFormat *format, const OptionImages *images,
                         VipsBlob *model, const void *bytes)
{
    VipsImage *in = frame_image(format, bytes), *out = NULL;
    size_t size = 0;
    void *filtered = NULL;
    bool ok = in && call_smooth(a, images, model, in, &out);
    if (ok)
        filtered = vips_image_write_to_memory(out, &size);
    ok = ok && filtered && size == format->bytes;
    if (!ok)
        print_operation_error(
            a, &(OperationFiles){.input = "standard input", .model = a->model, .images = images},
            "cannot be filtered");
    if (ok &&
        (fwrite(filtered, 1, size, message_output()) != size || fflush(message_output()) != 0)) {
        print_error("standard output", strerror(errno));
        ok = false;
    }
    g_free(filtered);
    VIPS_UNREF(in);
    VIPS_UNREF(out);
    return ok;
}

/* Opens the images that options name; they must have the size of a frame. */
static bool open_option_images(const Arguments *a, const RawFormat *format, OptionImages *images)
{
    VipsImage *size = NULL;
    if (vips_black(&size, format->width, format->height, NULL) != 0)
        return false;
    bool ok = option_images_open(images, a, size, "-");
    g_object_unref(size);
    return ok;
}

/* Reads one frame; sets *end if there is none. */
static bool read_raw_frame(void *bytes, size_t size, bool *end)
{
    size_t n = fread(bytes, 1, size, stdin);
    int error = errno; /* valid if ferror() is true */
    if (ferror(stdin)) {
        print_error("standard input", strerror(error));
        return false;
    }
    *end = n == 0;
    if (n > 0 && n < size)
        print_error("standard input", "the last frame is incomplete");
    return n == 0 || n == size;
}

bool raw_frames_filter(const Arguments *a)
{
    RawFormat format;
    OptionImages images = {0};
    raw_format_parse(a->raw, &format); /* cannot fail: arguments_check() accepted it */
    void *bytes = g_try_malloc(format.bytes);
    if (!bytes)
        print_error("standard input", "not enough memory");
    VipsBlob *model = bytes && a->model ? read_model_blob(a->model) : NULL;
    bool ok = bytes && (model || !a->model) && open_option_images(a, &format, &images);
    vips_cache_set_max(0); /* each frame is used once */
    while (ok) {
        bool end = false;
        ok = read_raw_frame(bytes, format.bytes, &end);
        if (end)
            break;
        ok = ok && filter_frame(a, &format, &images, model, bytes);
    }
    if (model)
        vips_area_unref(VIPS_AREA(model));
    option_images_close(&images);
    g_free(bytes);
    return ok;
}
