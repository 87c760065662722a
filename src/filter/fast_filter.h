/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast filter: with a low-rank M the filter becomes a few Gaussian blurs, which are done on a
 * coarse grid. Its cost does not grow with the window. */
#ifndef COF_FAST_FILTER_H
#define COF_FAST_FILTER_H

#include <stdbool.h>

#include "cof/cof.h"
#include "filter/coarse_grid.h"
#include "filter/line_buffer.h"
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

/* For models of at most so many labels. */
void cofi_fast_plan(CofiFastPlan *plan, int window, double sigma, double accuracy, int bands,
                    int labels);

/* Chooses tiles for an image of that width. */
void cofi_fast_plan_tiles(CofiFastPlan *plan, int width);

/* The number of terms that together cost as much as one. */
int cofi_fast_batch(const CofiFastPlan *plan);

/* Scratch bytes of one thread. */
size_t cofi_fast_size(const CofiFastPlan *plan);

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
    int size;              /* of a cell: terms x spread, padded with zeros */
    const float *in, *out; /* `size` floats of each label */
} CofiFastFactors;

/* Bytes of the factors of any model. */
size_t cofi_fast_factors_size(const CofiFastPlan *plan);
void cofi_fast_fill_factors(CofiFastFactors *factors, float *memory, const CofiFastPlan *plan,
                            const CofiLowRank *low_rank, const CofiKernels *kernels);

/* One tile, row after row. */
typedef struct CofiFast {
    const CofiFastPlan *plan;
    const CofiFastFactors *factors;
    const CofiKernels *kernels;
    const CofiLineBuffer *lines; /* its radius is the plan's */
    int x, y;                    /* of the tile, in the full image */
    int first_cell;              /* first splatted cell along x */
    int next_row, next_blur;     /* next row of cells to splat, and to blur along y */
    ptrdiff_t row_size;          /* floats of a row of cells */
    int sliced_y, sliced_rows;   /* rows of the source that have been sliced last */
    float *pixels;               /* pixels of a row of cells; in turn those to splat, and sliced */
    float *corners, *weights;    /* for the kernels; weights: of a row of pixels */
    float *splatted;             /* a row of cells */
    float *across;               /* blurred along x: a circular buffer of rows */
    float *blurred;              /* blurred along x and y: a circular buffer of rows */
} CofiFast;

void cofi_fast_start(CofiFast *fast, void *memory, const CofiFastPlan *plan,
                     const CofiFastFactors *factors, const CofiKernels *kernels,
                     const CofiLineBuffer *lines);

/* Filters row y of the source, the centre row of the line buffer. unreliable[i] is set where the
 * exact filter must be used instead. */
void cofi_fast_row(CofiFast *fast, int y, float *const *values, uint8_t *unreliable);

#endif
