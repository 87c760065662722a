/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of an image that threads compute, with the mask of its valid pixels. */
#include "vips_regions.h"

PixelRegion pixel_region_new(const Pixels *source)
{
    return (PixelRegion){.source = source,
                         .pixels = vips_region_new(source->image),
                         .valid = source->valid ? vips_region_new(source->valid) : NULL};
}

void pixel_region_free(PixelRegion *region)
{
    g_clear_object(&region->pixels);
    g_clear_object(&region->valid);
}

int pixel_region_prepare(PixelRegion *region, const VipsRect *rect, CofImage *view)
{
    if (vips_region_prepare(region->pixels, rect) != 0 ||
        (region->valid && vips_region_prepare(region->valid, rect) != 0))
        return -1;
    *view = pixels_view(region->source, region->pixels);
    if (region->valid) {
        view->valid = VIPS_REGION_ADDR(region->valid, view->x, view->y);
        view->valid_stride = (ptrdiff_t)VIPS_REGION_LSKIP(region->valid);
    }
    return 0;
}
