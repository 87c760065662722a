/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures about what the filter did. */
#include "figures/comparison.h"

#include "io/image_file.h"
#include "ui/error_line.h"

/* Between two pictures. */
#define GAP 12

/* Middle grey in the units of an image. */
static double middle_of(const VipsImage *image)
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

/* Without alpha, which is not filtered. */
static int colour_of(VipsImage *image, VipsImage **out)
{
    int bands = vips_image_hasalpha(image) ? image->Bands - 1 : image->Bands;
    return vips_extract_band(image, out, 0, "n", bands, NULL);
}

VipsImage *sheet_detail(VipsImage *before, VipsImage *after)
{
    VipsImage *steps[4] = {NULL}, *detail = NULL;
    if (colour_of(before, &steps[0]) == 0 && colour_of(after, &steps[1]) == 0 &&
        vips_subtract(steps[0], steps[1], &steps[2], NULL) == 0 &&
        vips_linear1(steps[2], &steps[3], 1, middle_of(before), NULL) == 0)
        vips_cast(steps[3], &detail, before->BandFmt, NULL);
    for (int i = 0; i < 4; i++)
        VIPS_UNREF(steps[i]);
    return detail;
}

VipsImage *sheet_compare(VipsImage *before, VipsImage *after)
{
    VipsImage *both[2] = {before, after}, *sheet = NULL;
    int across = before->Xsize > 2 * before->Ysize ? 1 : 2;
    vips_arrayjoin(both, &sheet, 2, "across", across, "shim", GAP, NULL);
    return sheet;
}

bool sheet_save(VipsImage *sheet, const char *name, VipsImage *input)
{
    if (!sheet) {
        complain_vips(name, "cannot be made");
        return false;
    }
    bool ok = picture_save(sheet, name, NULL, input);
    g_object_unref(sheet);
    return ok;
}
