/* SPDX-License-Identifier: BSD-2-Clause */
/* What selecting needs to know of an image, whatever the strokes are. */
#ifndef COF_SELECTION_MAP_H
#define COF_SELECTION_MAP_H

#include "cof/cof.h"
#include "call/call.h"

#define COFI_SELECTION_COLOURS 64

/* Of the image, downscaled to a size at which an object is selected equally well in large and small
 * images. */
typedef struct CofiSelectionMap {
    int n;             /* the downscale factor */
    int width, height; /* of the downscaled image */
    uint16_t *levels;  /* how strong the edge at each pixel is, for cofi_flood() */
    double fine_scale; /* of the gradient at full size: the level is the root of the product */
    uint8_t *labels;   /* of the smoothed image */
    size_t counts[COFI_SELECTION_COLOURS]; /* of pixels with each label */
    /* How usual two labels are near each other, 0..1 */
    float affinity[COFI_SELECTION_COLOURS][COFI_SELECTION_COLOURS];
} CofiSelectionMap;

/* Filters and learns from a complete view of a whole image. */
CofStatus cofi_selection_map_make(CofiCall *call, const CofImage *image, CofiSelectionMap *map);
double cofi_selection_map_units(const CofOptions *options, const CofImage *image); /* of progress */
void cofi_selection_map_clear(CofiSelectionMap *map);

/* The gradient of each pixel of a complete view, blurred as for the levels. */
CofStatus cofi_selection_gradient(CofiCall *call, const CofImage *image, float *out);

/* The level of a gradient. */
uint16_t cofi_selection_level(double gradient, double scale);

#endif
