/* SPDX-License-Identifier: BSD-2-Clause */
/* A coarser grid, on which a wide Gaussian window is a narrow one. Cells of step x step pixels,
 * counted from (0, 0) of the full image, are summed, blurred, and interpolated at each pixel. */
#ifndef COF_COARSE_GRID_H
#define COF_COARSE_GRID_H

#define COFI_MAX_STEP 8
#define COFI_MAX_GRID_RADIUS 64

typedef struct CofiGrid {
    int step;   /* pixels of a cell, along each axis */
    int radius; /* of the blur, in cells */
    int reach;  /* pixels beyond which nothing is seen */
    float taps[2 * COFI_MAX_GRID_RADIUS + 1];
} CofiGrid;

/* The coarsest grid on which the window looks alike, within `tolerance` (root of the mean squared
 * difference of weights, relative to their root mean square). 0: none. */
int cofi_grid_fit(CofiGrid *grid, int window, double sigma, double tolerance);

/* The cell whose centre lies at or before a pixel, and how far beyond it the pixel lies (0..1, in
 * cells). */
int cofi_grid_cell(const CofiGrid *grid, int pixel, float *beyond);

#endif
