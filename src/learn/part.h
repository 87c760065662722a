/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of an image that is learned from and filtered: its labels and Lab values are computed
 * once.
 */
#ifndef COF_PART_H
#define COF_PART_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/roi.h"
#include "learn/palette.h"
#include "learn/stats.h"

struct CofPart {
    CofImage image; /* complete; the pixels are the caller's */
    int n;          /* palettes that have labelled it; 0: none has */
    CofiPalette palettes[COF_MAX_PALETTES];
    uint8_t *labels[COF_MAX_PALETTES]; /* of each palette, in rows as wide as the image */
    CofiPackedLab packed;              /* of 8-bit RGB, in the same rows; NULL: not kept */
};

/* NULL without memory. */
CofPart *cofi_part_new(const CofImage *image);
void cofi_part_free(CofPart **part);

/* Labels the part with the palettes of statistics, unless it has been. Worth one unit of progress
 * for each palette. */
CofStatus cofi_part_label(CofPart *part, CofiCall *call, const CofStats *stats);

/* The same for a whole image and for the time of a call, which owns the memory. The palettes remain
 * those of the statistics. No progress is reported. */
CofStatus cofi_part_take(CofPart *part, CofiCall *call, const CofImage *image,
                         const CofStats *stats);

/* Have exactly these palettes labelled it? */
bool cofi_part_has(const CofPart *part, const CofiPalette *const *palettes, int n);

#endif
