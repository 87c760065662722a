/* SPDX-License-Identifier: BSD-2-Clause */
/* The limit on the pixels of an input, against small files that ask for much memory or time. */
#include "io/pixel_limit.h"

#include <inttypes.h>
#include <string.h>

static int64_t limit;

void pixel_limit_init(int64_t max_pixels)
{
    limit = max_pixels;
}

/* libvips reads these formats line by line or tile by tile, unless they are interlaced. */
static bool is_streamed(VipsImage *image)
{
    static const char *const loaders[] = {"analyze", "csv",     "fits",      "jpeg", "matrix",
                                          "nifti",   "openexr", "openslide", "png",  "ppm",
                                          "rad",     "raw",     "tiff",      "vips"};
    const char *loader = "";
    int interlaced = 0;
    if (vips_image_get_typeof(image, VIPS_META_LOADER) == 0)
        return true;
    vips_image_get_string(image, VIPS_META_LOADER, &loader);
    if (vips_image_get_typeof(image, "interlaced") != 0)
        vips_image_get_int(image, "interlaced", &interlaced);
    for (size_t i = 0; i < G_N_ELEMENTS(loaders); i++)
        if (g_str_has_prefix(loader, loaders[i]))
            return !interlaced;
    return false;
}

static bool check(int width, int height, int64_t default_limit)
{
    int64_t most = limit > 0 ? limit : default_limit;
    if ((int64_t)width * height <= most)
        return true;
    vips_error("cof", "has %d x %d pixels, more than the limit of %" PRId64 "; see --max-pixels",
               width, height, most);
    return false;
}

bool pixel_limit_check(VipsImage *image)
{
    return check(image->Xsize, image->Ysize,
                 is_streamed(image) ? MAX_PIXELS_STREAMED : MAX_PIXELS_WHOLE);
}

bool pixel_limit_check_frame(int width, int height)
{
    return check(width, height, MAX_PIXELS_WHOLE);
}
