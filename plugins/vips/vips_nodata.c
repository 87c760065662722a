/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels that hold no data, by the value that marks them. */
#include "vips_nodata.h"

#include <math.h>
#include <stdbool.h>

#include "vips_pixels.h"

/* The value in the sample type of the image, so that the decimal text of a float matches it. */
static bool find_value(VipsImage *image, double *value)
{
    if (vips_image_get_typeof(image, META_NODATA) != G_TYPE_DOUBLE ||
        vips_image_get_double(image, META_NODATA, value) != 0)
        return false;
    if (image->BandFmt == VIPS_FORMAT_FLOAT)
        *value = (float)*value;
    return isfinite(*value);
}

static bool needs_all(const VipsImage *image, CofKind kind)
{
    return (kind == COF_KIND_RGB || kind == COF_KIND_RGBA) &&
           vips_band_format_isint(image->BandFmt);
}

/* The mask that the metadata hold, unless the image was cut since. */
static int take_mask(VipsImage *image, VipsImage **valid)
{
    VipsImage *mask = NULL;
    if (vips_image_get_image(image, META_VALID, &mask) != 0)
        return -1;
    if (mask->Xsize == image->Xsize && mask->Ysize == image->Ysize && mask->Bands == 1 &&
        mask->BandFmt == VIPS_FORMAT_UCHAR)
        *valid = mask;
    else
        g_object_unref(mask);
    return 0;
}

int nodata_mask(VipsImage *image, CofKind kind, VipsImage **valid)
{
    VipsImage *steps[3] = {NULL};
    double value;
    bool has_alpha = kind == COF_KIND_RGBA || kind == COF_KIND_GREY_ALPHA;
    *valid = NULL;
    if (vips_image_get_typeof(image, META_VALID) == VIPS_TYPE_IMAGE)
        return take_mask(image, valid);
    if (!find_value(image, &value))
        return 0;
    VipsOperationBoolean join =
        needs_all(image, kind) ? VIPS_OPERATION_BOOLEAN_AND : VIPS_OPERATION_BOOLEAN_OR;
    int failed = vips_extract_band(image, &steps[0], 0, "n", image->Bands - has_alpha, NULL) ||
                 vips_equal_const1(steps[0], &steps[1], value, NULL) ||
                 vips_bandbool(steps[1], &steps[2], join, NULL) ||
                 vips_invert(steps[2], valid, NULL);
    for (int i = 0; i < 3; i++)
        g_clear_object(&steps[i]);
    return failed ? -1 : 0;
}

int nodata_restore(VipsImage *valid, VipsImage *in, VipsImage *filtered, VipsImage **out)
{
    VipsDemandStyle style = filtered->dhint;
    if (vips_ifthenelse(valid, filtered, in, out, NULL) != 0)
        return -1;
    (*out)->dhint = style;
    return 0;
}

static bool is_finite(const float *values, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

gint64 nodata_count(const CofImage *image, const VipsRect *rect)
{
    gint64 n = 0;
    int left = rect->left - image->x, top = rect->top - image->y;
    bool is_float = image->sample == COF_SAMPLE_F32;
    if (!image->valid && !is_float)
        return 0;
    for (int y = top; y < top + rect->height; y++) {
        const char *row = (const char *)image->data + y * image->row_stride;
        const float *values = (const float *)(const void *)row;
        const uint8_t *valid = image->valid ? image->valid + y * image->valid_stride : NULL;
        for (int x = left; x < left + rect->width; x++)
            n += (valid && !valid[x]) ||
                 (is_float && !is_finite(values + (ptrdiff_t)x * image->channels, image->channels));
    }
    return n;
}
