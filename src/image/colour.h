/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts samples to the values that are compared and averaged, and back. */
#ifndef COF_COLOUR_H
#define COF_COLOUR_H

#include "cof/cof.h"
#include "call/call.h"
#include "kernels/kernels.h"

/* Converts the samples of images of one kind and sample type. */
typedef struct CofiColour {
    CofiKernels kernels;
    const float *linear; /* table of linear light by sample value; NULL: computed for each sample */
    const uint32_t *encoding; /* table for bytes_from_lab(), if bytes are stored */
    double max;               /* the sample value that stands for 1 */
} CofiColour;

/* Makes the table if the image is RGB and has enough pixels; the context of the call owns it. */
CofStatus cofi_colour_init(CofiColour *colour, CofiCall *call, const CofImage *image,
                           double pixels);

/* Fixed. The linear light of the first n sample values, which must be a multiple of 128. */
void cofi_colour_decode(const CofiColour *colour, int n, float *table);

/* Makes what cofi_store_lab_row() needs; the context of the call owns it. */
CofStatus cofi_colour_init_stores(CofiColour *colour, CofiCall *call, const CofImage *image);

/* Fixed. Lab of pixels x..x+n-1 of row y. */
void cofi_lab_row(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                  float *const *lab);

/* Fixed. Lab of values in units of the samples. */
void cofi_lab_of_values(const CofiColour *colour, const float *const *rgb, int n,
                        float *const *lab);

/* Stores Lab as RGB samples. */
void cofi_store_lab_row(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                        const float *const *lab);

#endif
