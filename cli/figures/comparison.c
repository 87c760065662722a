/* SPDX-License-Identifier: BSD-2-Clause */
/* Images that compare an image before and after filtering. */
#include "figures/comparison.h"

#include "figures/caption.h"
#include "figures/display_image.h"
#include "io/image_file.h"
#include "io/pages.h"
#include "ui/error_line.h"

/* Pixels between two images. */
#define GAP 12

/* Middle grey in the sample type of an image. */
static double middle_grey(const VipsImage *image)
{
    switch (image->BandFmt) {
    case VIPS_FORMAT_UCHAR:
        return 128;
    case VIPS_FORMAT_USHORT:
        return 32768;
    default:
        return image->Type == VIPS_INTERPRETATION_scRGB ? 0.5 : 128;
    }
}

/* Drops the alpha channel, which is not filtered. */
static int drop_alpha(VipsImage *image, VipsImage **out)
{
    int bands = vips_image_hasalpha(image) ? image->Bands - 1 : image->Bands;
    return vips_extract_band(image, out, 0, "n", bands, NULL);
}

VipsImage *residual_image(VipsImage *before, VipsImage *after)
{
    VipsImage *steps[4] = {NULL}, *detail = NULL;
    if (drop_alpha(before, &steps[0]) == 0 && drop_alpha(after, &steps[1]) == 0 &&
        vips_subtract(steps[0], steps[1], &steps[2], NULL) == 0 &&
        vips_linear1(steps[2], &steps[3], 1, middle_grey(before), NULL) == 0)
        vips_cast(steps[3], &detail, before->BandFmt, NULL);
    for (int i = 0; i < 4; i++)
        VIPS_UNREF(steps[i]);
    return detail;
}

/* Images are joined only if both have an alpha channel or both have none. */
static int add_alpha(VipsImage *image, const VipsImage *other, VipsImage **out)
{
    return other->Bands == image->Bands + 1 ? vips_addalpha(image, out, NULL)
                                            : vips_copy(image, out, NULL);
}

static VipsImage *join(VipsImage *before, VipsImage *after)
{
    VipsImage *opaque = NULL, *images[2] = {NULL}, *joined = NULL;
    bool has_pages = page_count(before) > 1; /* a caption would move their borders */
    int across = before->Xsize > 2 * before->Ysize && !has_pages ? 1 : 2;
    if (add_alpha(before, after, &opaque) == 0) {
        images[0] = has_pages ? g_object_ref(opaque) : captioned_image(opaque, "input");
        images[1] = has_pages ? g_object_ref(after) : captioned_image(after, "output");
    }
    if (images[0] && images[1] &&
        vips_arrayjoin(images, &joined, 2, "across", across, "shim", GAP, NULL) == 0)
        remove_layout_description(joined);
    VIPS_UNREF(opaque);
    VIPS_UNREF(images[0]);
    VIPS_UNREF(images[1]);
    return joined;
}

VipsImage *side_by_side_image(VipsImage *before, VipsImage *after)
{
    DisplayRange range;
    VipsImage *images[2] = {NULL}, *joined = NULL;
    if (display_range_find(&range, before)) {
        images[0] = display_image(&range, before);
        images[1] = display_image(&range, after);
    }
    if (images[0] && images[1])
        joined = join(images[0], images[1]);
    VIPS_UNREF(images[0]);
    VIPS_UNREF(images[1]);
    return joined;
}

bool comparison_save(VipsImage *image, const char *name, VipsImage *input)
{
    if (!image) {
        print_vips_error(name, "cannot be made");
        return false;
    }
    bool ok = image_file_save(image, name, NULL, input);
    g_object_unref(image);
    return ok;
}
