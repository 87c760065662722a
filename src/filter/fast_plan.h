/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fast filter prepares before it filters. */
#ifndef COF_FAST_PLAN_H
#define COF_FAST_PLAN_H

#include <stdbool.h>

#include "cof/cof.h"
#include "filter/coarse_grid.h"
#include "filter/low_rank.h"
#include "kernels/kernels.h"

/* The part of the fast filter that does not depend on the model. */
typedef struct CofiFastPlan {
    bool possible; /* false: use the exact filter */
    CofiGrid grid;
    int radius;     /* of the line buffer: reach of the grid and rows splatted ahead, or more */
    int planes;     /* alpha and bands */
    int spread;     /* planes of a pixel, padded to a power of two */
    int ranks;      /* terms that there is room for */
    int tile_width; /* pixels */
    int cells;      /* of a tile and its surroundings along x */
} CofiFastPlan;

/* For models of at most so many labels. `known` is the grid of the last plan; NULL: none. */
void cofi_fast_plan(CofiFastPlan *plan, CofiKnownGrid *known, int window, double sigma,
                    double accuracy, int bands, int labels);

/* Chooses tiles for an image of that width, which are filtered with so many models at a time. */
void cofi_fast_plan_tiles(CofiFastPlan *plan, int width, int models);

/* The sums of a cell, rounded up to a multiple. */
int cofi_fast_cell_size(const CofiFastPlan *plan, int ranks, int multiple);

/* The number of terms that together cost as much as one. */
int cofi_fast_batch(const CofiFastPlan *plan);

/* The approximate cost of a pixel in vectors of 16 floats: with the fast filter, with the exact
 * one, and for a pixel alone, which sums all taps. */
double cofi_fast_cost(const CofiFastPlan *plan, int ranks, bool each);
double cofi_exact_cost(int window, int bands);
double cofi_all_taps_cost(int window, int bands);

/* The sum of a window's Gaussian, whose centre is 1. */
double cofi_fast_mass(int window, double sigma);

/* The terms of a model, as kernels read them. */
typedef struct CofiFastFactors {
    const CofiLowRank *low_rank;
    int size;                        /* of a cell: terms x spread, padded with zeros */
    const float *in, *out;           /* `size` floats of each label */
    const uint16_t *parts, *n_parts; /* of `out`, as in CofiSlice */
} CofiFastFactors;

/* Bytes of the factors of any model. */
size_t cofi_fast_factors_size(const CofiFastPlan *plan);
void cofi_fast_fill_factors(CofiFastFactors *factors, void *memory, const CofiFastPlan *plan,
                            const CofiLowRank *low_rank, const CofiKernels *kernels);

#endif
