/* SPDX-License-Identifier: BSD-2-Clause */
/* The limit on the pixels of an input, against small files that ask for much memory or time. */
#include "io/pixel_limit.h"

#include <inttypes.h>

static int64_t limit;

void pixel_limit_init(int64_t max_pixels)
{
    limit = max_pixels;
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

/* An interlaced image is decoded as a whole. */
bool pixel_limit_check(VipsImage *image, bool is_streamed)
{
    int interlaced = 0;
    if (vips_image_get_typeof(image, "interlaced") != 0)
        vips_image_get_int(image, "interlaced", &interlaced);
    return check(image->Xsize, image->Ysize,
                 is_streamed && !interlaced ? MAX_PIXELS_STREAMED : MAX_PIXELS_WHOLE);
}

bool pixel_limit_check_frame(int width, int height)
{
    return check(width, height, MAX_PIXELS_WHOLE);
}
