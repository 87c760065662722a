/* SPDX-License-Identifier: BSD-2-Clause */
/* A coarse grid, on which a wide Gaussian becomes narrow. Pixels are splatted to cells of step x
 * step pixels, counted from (0, 0) of the full image; the cells are blurred, and sliced at each
 * pixel. */
#ifndef COF_COARSE_GRID_H
#define COF_COARSE_GRID_H

#include "kernels/kernels.h"

#define COFI_MAX_GRID_RADIUS 64

typedef struct CofiGrid {
    int step;   /* pixels of a cell, along each axis */
    int radius; /* of the blur, in cells */
    int reach;  /* the farthest distance of a contributing pixel */
    float
        taps[COFI_MAX_GRID_RADIUS + 1]; /* at distances 0..radius, on both sides; the first is 1 */
    float scale;                        /* by which all taps are to be multiplied */
} CofiGrid;

/* Finds the coarsest grid whose weights differ from those of the window by at most `tolerance` (RMS
 * difference relative to the RMS of the weights). Returns its step; 0 if there is none. */
int cofi_grid_fit(CofiGrid *grid, int window, double sigma, double tolerance);

/* A grid that was found before, and what for. All 0: none. */
typedef struct CofiKnownGrid {
    int window;
    double sigma, tolerance;
    CofiGrid grid;
    int found; /* what cofi_grid_fit() returned */
} CofiKnownGrid;

/* As cofi_grid_fit(), but takes the known grid if it was found for the same arguments. Otherwise
 * the result becomes the known grid. */
int cofi_grid_fit_or_known(CofiKnownGrid *known, CofiGrid *grid, int window, double sigma,
                           double tolerance);

/* The cell whose centre lies at or before a pixel, and the distance of the pixel from it (0..1, in
 * cells). */
int cofi_grid_cell(const CofiGrid *grid, int pixel, float *beyond);

#endif
