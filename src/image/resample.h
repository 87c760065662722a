/* SPDX-License-Identifier: BSD-2-Clause */
/* A smaller copy of an image, and its way back. */
#ifndef COF_RESAMPLE_H
#define COF_RESAMPLE_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/roi.h"

/* Every n x n pixels of a whole image become their mean, weighed by alpha; at the right and below
 * there may be fewer. Pixels without data do not count; where none has any, the small one has none
 * either. It lives as long as the run. */
CofStatus cofi_downscale(CofiCall *call, const CofImage *image, int n, CofImage *small);

/* Where to learn in the small one. A pixel counts where half of those that it is made of do, or, if
 * that would leave nothing, where any does. */
CofStatus cofi_downscale_roi(CofiCall *call, const CofiRoi *roi, int n, CofiRoi *small);

/* The small one again as large as `like`, by cubic splines that make contours smooth (and pixels a
 * little softer); alpha and what has no data are those of `like`. It lives as long as the run. */
CofStatus cofi_upscale(CofiCall *call, const CofImage *small, int n, const CofImage *like,
                       CofImage *large);

/* A smaller mask, in which a pixel is marked if any of those that it covers is. It lives as long as
 * the call. */
CofStatus cofi_downscale_marks(CofiCall *call, const CofImage *mask, int n, CofImage *small);

#endif
