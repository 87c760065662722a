/* SPDX-License-Identifier: BSD-2-Clause */
/* How much an image changes from pixel to pixel. */
#ifndef COF_GRADIENT_H
#define COF_GRADIENT_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/colour.h"

/* The side of a tile, and the largest standard deviation of the blur. */
#define COFI_GRADIENT_TILE 64
#define COFI_GRADIENT_MAX_SIGMA 5.0

#define COFI_GRADIENT_MAX_RADIUS 15 /* three standard deviations */

typedef struct CofiGradient {
    const CofImage *image;
    CofiColour colour;
    int bands, planes; /* planes are converted at once */
    int radius;
    float taps[COFI_GRADIENT_MAX_RADIUS + 1]; /* of the blur, from the middle */
    float *scratch;                           /* of all workers */
    size_t share;                             /* of each worker, in floats */
} CofiGradient;

/* Prepares gradients of a complete view that is blurred by a Gaussian first. The call owns the
 * memory. */
CofStatus cofi_gradient_open(CofiGradient *gradient, CofiCall *call, const CofImage *image,
                             double sigma);

/* The length of the gradient (Sobel, over all bands, in Lab if the image is RGB) of the pixels of a
 * rectangle that is at most a tile, in coordinates of the view. Rows of `out` are `stride` apart.
 */
void cofi_gradient_tile(const CofiGradient *gradient, int worker, CofRect rect, float *out,
                        ptrdiff_t stride);

#endif
