/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pixels of an image take part in learning. */
#ifndef COF_ROI_H
#define COF_ROI_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"

/* A checked CofRoi. */
typedef struct CofiRoi {
    CofRect region;     /* within the full image */
    CofRect part;       /* of the full image */
    CofRect references; /* where reference pixels may lie: region and part */
    bool has_mask;
    CofImage mask;
} CofiRoi;

/* Checks `roi` (NULL: the whole image) for a complete view; `part` is used if `roi` has none. On
 * failure the report says why. */
CofStatus cofi_check_roi(CofiCall *call, const CofRoi *roi, const CofImage *image, CofRect part,
                         CofiRoi *complete);

/* members[i] = 1 if pixel (x + i, y) of the view has data and is not transparent, else 0. */
void cofi_visible_row(const CofImage *image, int x, int y, int n, uint8_t *members);

/* members[i] = 1 if pixel (x + i, y) also lies inside region and mask, else 0. */
void cofi_member_row(const CofiRoi *roi, const CofImage *image, int x, int y, int n,
                     uint8_t *members);

#endif
