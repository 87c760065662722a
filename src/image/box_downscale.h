/* SPDX-License-Identifier: BSD-2-Clause */
/* Downscaling by box averages. */
#ifndef COF_BOX_DOWNSCALE_H
#define COF_BOX_DOWNSCALE_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/roi.h"

/* A packed image of the kind and sample type of `like`. The call owns the memory. */
CofStatus cofi_take_image(CofiCall *call, const CofImage *like, int width, int height,
                          CofImage *image);

/* The weight of each pixel of a row: alpha, clamped to its range; 0 without data. `valid` is
 * scratch of the same length. */
void cofi_resampling_weights(const CofImage *image, int y, uint8_t *valid, float *weights);

/* Averages every n x n pixels of a whole image, weighted by alpha; cells at the right and bottom
 * may have fewer. Pixels without data are ignored; a cell of only such pixels has no data. The call
 * owns the memory. */
CofStatus cofi_downscale(CofiCall *call, const CofImage *image, int n, CofImage *small);

/* Fills `small`, a view of the downscaled image, from a view that holds the pixels which it covers.
 * valid[y * small->width + x] becomes 0 where no pixel has data, otherwise 1; NULL: F32 becomes NaN
 * there. It cannot be cancelled. */
CofStatus cofi_downscale_part(CofiCall *call, const CofImage *image, int n, const CofImage *small,
                              uint8_t *valid);

/* The width or height of a downscaled image. */
int cofi_downscaled_side(int side, int n);

/* The region of interest of the downscaled image. A pixel of its mask is set if half of the pixels
 * of its cell are; if that leaves none, if any is. */
CofStatus cofi_downscale_roi(CofiCall *call, const CofiRoi *roi, int n, CofiRoi *small);

/* A smaller mask, in which a pixel is marked if any of those that it covers is. It lives as long as
 * the call. */
CofStatus cofi_downscale_marks(CofiCall *call, const CofImage *mask, int n, CofImage *small);

#endif
