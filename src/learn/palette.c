/* SPDX-License-Identifier: BSD-2-Clause */
/* The values that labels stand for. */
#include "learn/palette.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "image/image.h"

static CofStatus new_centres(CofiPalette *palette)
{
    palette->centres =
        cofi_calloc((size_t)palette->k * (size_t)palette->bands, sizeof *palette->centres);
    return palette->centres ? COF_OK : COF_ERR_MEMORY;
}

CofStatus cofi_palette_prepare(CofiPalette *palette)
{
    if (palette->type != COFI_PALETTE_CENTRES)
        return COF_OK;
    void *memory = cofi_malloc(1, cofi_centres_size(palette->bands, palette->k));
    if (!memory) {
        cofi_palette_free(palette);
        return COF_ERR_MEMORY;
    }
    palette->prepared = cofi_centres_fill(memory, palette->centres, palette->bands, palette->k);
    return COF_OK;
}

CofStatus cofi_palette_exact(CofiPalette *palette)
{
    *palette = (CofiPalette){.type = COFI_PALETTE_EXACT,
                             .k = 256,
                             .family = COF_KIND_GREY,
                             .sample = COF_SAMPLE_U8,
                             .bands = 1};
    if (new_centres(palette) != COF_OK)
        return COF_ERR_MEMORY;
    for (int i = 0; i < palette->k; i++)
        palette->centres[i] = (float)i;
    return COF_OK;
}

CofStatus cofi_palette_bins(CofiPalette *palette, CofSample sample, int levels, double low,
                            double high)
{
    assert(levels >= 1 && levels <= COF_MAX_COLOURS);
    assert(low <= high);
    *palette = (CofiPalette){.type = COFI_PALETTE_BINS,
                             .k = low < high ? levels : 1,
                             .family = COF_KIND_GREY,
                             .sample = (int)sample,
                             .bands = 1,
                             .low = low,
                             .high = high};
    if (new_centres(palette) != COF_OK)
        return COF_ERR_MEMORY;
    for (int i = 0; i < palette->k; i++)
        palette->centres[i] = (float)(low + (i + 0.5) * ((high - low) / palette->k));
    return COF_OK;
}

CofStatus cofi_palette_given(CofiPalette *palette, CofKind family, int bands, int k,
                             const float *centres)
{
    assert(k >= 1 && k <= COF_MAX_COLOURS);
    assert(bands >= 1 && bands <= COF_MAX_BANDS);
    *palette = (CofiPalette){.type = COFI_PALETTE_CENTRES,
                             .k = k,
                             .family = family,
                             .sample = COFI_ANY_SAMPLE,
                             .bands = bands};
    if (new_centres(palette) != COF_OK)
        return COF_ERR_MEMORY;
    memcpy(palette->centres, centres, (size_t)k * (size_t)bands * sizeof *centres);
    return cofi_palette_prepare(palette);
}

CofStatus cofi_palette_labels(CofiPalette *palette, int k)
{
    assert(k >= 1 && k <= COF_MAX_COLOURS);
    *palette = (CofiPalette){
        .type = COFI_PALETTE_LABELS, .k = k, .family = COF_KIND_GREY, .sample = COFI_ANY_SAMPLE};
    return COF_OK;
}

CofStatus cofi_palette_copy(CofiPalette *palette, const CofiPalette *from)
{
    *palette = *from;
    palette->prepared = NULL;
    if (!from->centres)
        return COF_OK;
    palette->centres =
        cofi_copy(from->centres, (size_t)from->k * (size_t)from->bands, sizeof *from->centres);
    return palette->centres ? cofi_palette_prepare(palette) : COF_ERR_MEMORY;
}

void cofi_palette_free(CofiPalette *palette)
{
    cofi_free(palette->prepared);
    cofi_free(palette->centres);
    palette->prepared = NULL;
    palette->centres = NULL;
}

bool cofi_palette_equal(const CofiPalette *a, const CofiPalette *b)
{
    if (a->type != b->type || a->k != b->k || a->family != b->family || a->sample != b->sample ||
        a->bands != b->bands || a->low != b->low || a->high != b->high)
        return false;
    size_t bytes = (size_t)a->k * (size_t)a->bands * sizeof *a->centres;
    return bytes == 0 || memcmp(a->centres, b->centres, bytes) == 0;
}

bool cofi_palette_is_for(const CofiPalette *palette, CofKind family, int bands, CofSample sample)
{
    if (palette->type == COFI_PALETTE_LABELS || palette->family != family ||
        palette->bands != bands)
        return false;
    /* Lab means the same at every depth; grey values and bands do not. */
    return palette->family == COF_KIND_RGB || palette->sample == COFI_ANY_SAMPLE ||
           palette->sample == (int)sample;
}

bool cofi_palette_fits(const CofiPalette *palette, const CofImage *image)
{
    return cofi_palette_is_for(palette, cofi_family(image->kind), cofi_bands(image), image->sample);
}

static double squared_distance(const float *a, const float *b, int bands)
{
    double sum = 0;
    for (int i = 0; i < bands; i++) {
        double d = (double)a[i] - (double)b[i];
        sum += d * d;
    }
    return sum;
}

double cofi_palette_spacing(const CofiPalette *palette)
{
    if (palette->type == COFI_PALETTE_EXACT || palette->type == COFI_PALETTE_LABELS ||
        palette->k < 2)
        return 0;
    double sum = 0;
    for (int i = 0; i < palette->k; i++) {
        double nearest = INFINITY;
        for (int j = 0; j < palette->k; j++) {
            double d = squared_distance(palette->centres + i * palette->bands,
                                        palette->centres + j * palette->bands, palette->bands);
            if (j != i && d < nearest)
                nearest = d;
        }
        sum += sqrt(nearest);
    }
    return sum / palette->k;
}
