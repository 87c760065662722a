/* SPDX-License-Identifier: BSD-2-Clause */
/* The values that labels stand for. */
#ifndef COF_PALETTE_H
#define COF_PALETTE_H

#include "cof/cof.h"
#include "call/call.h"
#include "kernels/kernels.h"

typedef enum CofiPaletteType {
    COFI_PALETTE_EXACT,   /* the 256 values of 8-bit grey */
    COFI_PALETTE_BINS,    /* k equal bins of [low, high] */
    COFI_PALETTE_CENTRES, /* the nearest of k centres */
    COFI_PALETTE_LABELS   /* labels that only the caller can assign */
} CofiPaletteType;

#define COFI_ANY_SAMPLE (-1)

typedef struct CofiPalette {
    CofiPaletteType type;
    int k;
    CofKind family;   /* of the images it is for: COF_KIND_GREY, COF_KIND_RGB or COF_KIND_BANDS */
    int sample;       /* CofSample of the images, or COFI_ANY_SAMPLE */
    int bands;        /* values of a centre; RGB: Lab. 0 for labels */
    double low, high; /* of bins */
    float *centres;   /* k rows of bands; NULL for labels */
    CofiCentres
        *prepared; /* the centres for the kernels; NULL unless pixels are compared with them */
} CofiPalette;

/* Make a palette, to be freed with cofi_palette_free(). */
CofStatus cofi_palette_exact(CofiPalette *palette);
CofStatus cofi_palette_bins(CofiPalette *palette, CofSample sample, int levels, double low,
                            double high);
CofStatus cofi_palette_given(CofiPalette *palette, CofKind family, int bands, int k,
                             const float *centres);
CofStatus cofi_palette_labels(CofiPalette *palette, int k);

/* Prepares centres that were filled in by other means, if the type needs it. On failure the palette
 * is freed. */
CofStatus cofi_palette_prepare(CofiPalette *palette);
CofStatus cofi_palette_copy(CofiPalette *palette, const CofiPalette *from);
void cofi_palette_free(CofiPalette *palette);
bool cofi_palette_equal(const CofiPalette *a, const CofiPalette *b);

/* Can images of this kind, bands and sample type be labelled with it? */
bool cofi_palette_is_for(const CofiPalette *palette, CofKind family, int bands, CofSample sample);
bool cofi_palette_fits(const CofiPalette *palette, const CofImage *image);

/* The mean distance of a centre to its nearest one; 0 if the palette is never softened. */
double cofi_palette_spacing(const CofiPalette *palette);

#endif
