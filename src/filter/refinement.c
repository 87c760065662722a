/* SPDX-License-Identifier: BSD-2-Clause */
/* What a refinement needs to know: labels that have weights, and scales of values. */
#include "filter/refinement.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "image/image.h"

CofiScale cofi_scale_of_samples(const CofImage *image, bool lab, int channel)
{
    if (lab)
        return (CofiScale){channel == 0 ? 50 : 0, 100};
    float most = (float)cofi_sample_max(image->sample);
    bool anything = image->sample == COF_SAMPLE_F32 && image->kind == COF_KIND_BANDS;
    return (CofiScale){anything ? 0 : most / 2, most};
}

CofiScale cofi_scale_of(const CofiPalette *palette, const CofImage *image, bool lab, int channel)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    bool fits = palette->bands == cofi_bands(image) && palette->family != COF_KIND_RGB;
    for (int i = 0; i < palette->k && fits; i++) {
        double value = (double)palette->centres[i * palette->bands + channel];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    if (!(high - low >= (double)FLT_MIN)) /* whose reciprocal is finite */
        return cofi_scale_of_samples(image, lab, channel);
    return (CofiScale){cofi_to_float(low + (high - low) / 2), cofi_to_float(high - low)};
}

CofiScale cofi_refine_scale(const CofiRefinement *r, CofSpace space, int channel)
{
    bool lab = cofi_family(r->in->kind) == COF_KIND_RGB && space == COF_SPACE_LAB;
    return cofi_scale_of(r->palettes[0], r->in, lab, channel);
}

void cofi_refine_member(CofiRefinement *r, int member, const CofiPalette *palette,
                        const CofModel *model)
{
    int k = model->palette.k;
    r->palettes[member] = palette;
    r->members = member + 1;
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++)
            r->weighs[member][a] |= model->matrix[a * k + b] > 0;
}

bool cofi_refine_some_stay(const CofiRefinement *r)
{
    bool some = r->members > 0;
    for (int i = 0; i < r->members; i++)
        some &= memchr(r->weighs[i], 0, (size_t)r->palettes[i]->k) != NULL;
    return some;
}
