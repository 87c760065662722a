/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of an image to the values that are compared and averaged, and back. */
#ifndef COF_COLOUR_H
#define COF_COLOUR_H

#include "cof/cof.h"
#include "call/call.h"
#include "kernels/kernels.h"

/* Reads and writes the samples of images like one. */
typedef struct CofiColour {
    CofiKernels kernels;
    const float *linear; /* light of every sample value; NULL: computed each time */
    double max;          /* the sample that means 1 */
} CofiColour;

/* A table is made for RGB where the number of pixels pays for it; it lives as long as the run. */
CofStatus cofi_colour_init(CofiColour *colour, CofiCall *call, const CofImage *image,
                           double pixels);

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
