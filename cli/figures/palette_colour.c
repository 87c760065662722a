/* SPDX-License-Identifier: BSD-2-Clause */
/* The colour of a label. */
#include "figures/palette_colour.h"

#include <vips/vips.h>

static void lab_to_srgb(const float *lab, unsigned char rgb[3])
{
    float x, y, z, r, g, b;
    int red, green, blue;
    vips_col_Lab2XYZ(lab[0], lab[1], lab[2], &x, &y, &z);
    vips_col_XYZ2scRGB(x, y, z, &r, &g, &b);
    vips_col_scRGB2sRGB_8(r, g, b, &red, &green, &blue, NULL);
    rgb[0] = (unsigned char)red;
    rgb[1] = (unsigned char)green;
    rgb[2] = (unsigned char)blue;
}

/* Scales a value from the range of its band to a byte. */
static unsigned char scale_to_byte(const float *palette, int k, int bands, int band, float value)
{
    float low = palette[band], high = palette[band];
    for (int i = 1; i < k; i++) {
        float other = palette[i * bands + band];
        low = other < low ? other : low;
        high = other > high ? other : high;
    }
    return (unsigned char)(high > low ? 255 * (value - low) / (high - low) + 0.5f : 128);
}

void palette_colour(const CofModel *model, int label, unsigned char rgb[3])
{
    int bands, k = cof_model_size(model);
    const float *palette = cof_model_palette(model, &bands);
    CofKind kind;
    if (palette && cof_model_kind(model, &kind) == COF_OK && kind == COF_KIND_RGB) {
        lab_to_srgb(palette + label * bands, rgb);
        return;
    }
    for (int i = 0; i < 3; i++) {
        int band = palette && i < bands ? i : 0;
        rgb[i] = palette ? scale_to_byte(palette, k, bands, bands < 3 ? 0 : band,
                                         palette[label * bands + (bands < 3 ? 0 : band)])
                         : (unsigned char)(k > 1 ? 255 * label / (k - 1) : 128);
    }
}
