/* SPDX-License-Identifier: BSD-2-Clause */
/* Downscaling by box averages, and upscaling by cubic B-splines. */
#ifndef COF_RESAMPLE_H
#define COF_RESAMPLE_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/roi.h"

/* Averages every n x n pixels of a whole image, weighted by alpha; cells at the right and bottom
 * may have fewer. Pixels without data are ignored; a cell of only such pixels has no data. The call
 * owns the memory. */
CofStatus cofi_downscale(CofiCall *call, const CofImage *image, int n, CofImage *small);

/* The region of interest of the downscaled image. A pixel of its mask is set if half of the pixels
 * of its cell are; if that leaves none, if any is. */
CofStatus cofi_downscale_roi(CofiCall *call, const CofiRoi *roi, int n, CofiRoi *small);

/* Upscales to the size of `like` by cubic B-splines, which keep contours smooth but blur a little.
 * Alpha and pixels without data are copied from `like`. The call owns the memory. */
CofStatus cofi_upscale(CofiCall *call, const CofImage *small, int n, const CofImage *like,
                       CofImage *large);

/* A smaller mask, in which a pixel is marked if any of those that it covers is. It lives as long as
 * the call. */
CofStatus cofi_downscale_marks(CofiCall *call, const CofImage *mask, int n, CofImage *small);

#endif
