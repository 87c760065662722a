/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples on a grid over an image. */
#ifndef COF_SCAN_GRID_H
#define COF_SCAN_GRID_H

#include "call/call.h"
#include "learn/bottom_k.h"
#include "learn/label_row.h"

/* Values of so many pixels are found at once. */
#define COFI_MAX_APART 16

/* The number of multiples of `step` from `first` on among n numbers. */
size_t cofi_grid_points(int first, int n, int step);

/* Finds the values of n <= COFI_MAX_APART pixels, `step` apart from (x, y) of the view on. */
void cofi_load_apart(const CofiColour *colour, const CofImage *image, int x, int y, int n, int step,
                     float values[COF_MAX_BANDS][COFI_MAX_APART]);

/* Adds all pixels of a part of the view whose coordinates in the full image are multiples of
 * `step`, with all threads. They must all be visible, and fit within the bound of the set. */
CofStatus cofi_scan_grid(CofiSamples *into, CofiCall *call, const CofiColour *colour,
                         const CofImage *image, CofRect part, int step);

#endif
