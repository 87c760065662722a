/* SPDX-License-Identifier: BSD-2-Clause */
/* Measurements as images for display: their range becomes that of 8 bits. */
#include "figures/display_image.h"

#include <math.h>
#include <stdlib.h>

#include "vips_pixels.h"

/* The values of about this many pixels are looked at, and this share of them at each end is cut
 * off. */
#define MAX_PIXELS 250000.0
#define CUT_OFF 0.01

/* Images of libvips, and rasters that are colours, say how they are displayed. */
static bool is_colour(const VipsImage *image)
{
    return vips_image_get_typeof(image, META_KIND) == 0 ||
           (image->Type != VIPS_INTERPRETATION_MULTIBAND && image->BandFmt == VIPS_FORMAT_UCHAR);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values at both ends of the range. */
static void set_ends(double *values, int n, double *low, double *high)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    int cut = (int)(CUT_OFF * n);
    *low = n > 0 ? values[cut] : 0;
    *high = n > 0 ? values[n - 1 - cut] : 1;
    if (!(*high > *low))
        *high = *low + 1;
}

/* One of each step x step pixels as doubles, in memory. */
static VipsImage *sample(VipsImage *image, int step)
{
    VipsImage *small = NULL, *doubles = NULL, *memory = NULL;
    if (vips_subsample(image, &small, step, step, NULL) == 0 &&
        vips_cast(small, &doubles, VIPS_FORMAT_DOUBLE, NULL) == 0)
        memory = vips_image_copy_memory(doubles);
    VIPS_UNREF(small);
    VIPS_UNREF(doubles);
    return memory;
}

static void find_ends(DisplayRange *range, VipsImage *pixels, VipsImage *valid)
{
    int n = pixels->Xsize * pixels->Ysize;
    const double *all = (const double *)VIPS_IMAGE_ADDR(pixels, 0, 0);
    const double *marks = valid ? (const double *)VIPS_IMAGE_ADDR(valid, 0, 0) : NULL;
    double *values = g_new(double, (gsize)n);
    for (int band = 0; band < range->bands; band++) {
        int found = 0;
        for (int i = 0; i < n; i++) {
            double value = all[(size_t)i * (size_t)pixels->Bands + (size_t)band];
            if (isfinite(value) && (!marks || marks[i] != 0))
                values[found++] = value;
        }
        set_ends(values, found, &range->low[band], &range->high[band]);
    }
    g_free(values);
}

bool display_range_find(DisplayRange *range, VipsImage *image)
{
    *range = (DisplayRange){.is_colour = is_colour(image), .bands = image->Bands < 3 ? 1 : 3};
    if (range->is_colour)
        return true;
    int step = (int)ceil(sqrt((double)image->Xsize * image->Ysize / MAX_PIXELS));
    VipsImage *valid = NULL, *marks = NULL, *pixels = sample(image, step);
    bool ok = pixels != NULL;
    if (ok && vips_image_get_typeof(image, META_VALID) == VIPS_TYPE_IMAGE)
        ok = vips_image_get_image(image, META_VALID, &valid) == 0 && (marks = sample(valid, step));
    if (ok)
        find_ends(range, pixels, marks);
    VIPS_UNREF(valid);
    VIPS_UNREF(marks);
    VIPS_UNREF(pixels);
    return ok;
}

VipsImage *display_image(const DisplayRange *range, VipsImage *image)
{
    VipsImage *steps[3] = {NULL}, *out = NULL;
    double scale[3], offset[3];
    if (range->is_colour)
        return g_object_ref(image);
    for (int i = 0; i < range->bands; i++) {
        scale[i] = 255 / (range->high[i] - range->low[i]);
        offset[i] = 0.5 - range->low[i] * scale[i];
    }
    VipsInterpretation type =
        range->bands == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    if (vips_extract_band(image, &steps[0], 0, "n", range->bands, NULL) == 0 &&
        vips_linear(steps[0], &steps[1], scale, offset, range->bands, NULL) == 0 &&
        vips_cast(steps[1], &steps[2], VIPS_FORMAT_UCHAR, NULL) == 0)
        vips_copy(steps[2], &out, "interpretation", type, NULL);
    for (int i = 0; i < 3; i++)
        VIPS_UNREF(steps[i]);
    return out;
}
