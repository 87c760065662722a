/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast filter: M as a short sum of products makes the filter a few Gaussian blurs, which run on
 * a coarser grid; so its cost does not grow with the window. */
#ifndef COF_FAST_FILTER_H
#define COF_FAST_FILTER_H

#include <stdbool.h>

#include "cof/cof.h"
#include "filter/coarse_grid.h"
#include "filter/line_buffer.h"
#include "filter/low_rank.h"
#include "kernels/kernels.h"

/* What does not depend on the model. */
typedef struct CofiFastPlan {
    bool possible; /* else the exact filter must do */
    CofiGrid grid;
    int radius; /* of the line buffer: the grid's reach, and rows that are splatted ahead; or more
                 */
    int planes; /* alpha and bands */
    int spread; /* a power of two: the planes of a pixel, with zeros */
    int tile_width; /* pixels */
    int cells;      /* that a tile sees along x */
} CofiFastPlan;

void cofi_fast_plan(CofiFastPlan *plan, int window, double sigma, double accuracy, int bands);

/* Chooses tiles for an image of that width. */
void cofi_fast_plan_tiles(CofiFastPlan *plan, int width);

/* So many terms cost as much as one. */
int cofi_fast_batch(const CofiFastPlan *plan);

/* Bytes that a thread needs. */
size_t cofi_fast_size(const CofiFastPlan *plan);

/* About how many vectors of 16 are computed for a pixel, fast or exactly. */
double cofi_fast_cost(const CofiFastPlan *plan, int ranks);
double cofi_exact_cost(int window, int bands);

/* The sum of a window's Gaussian, whose centre is 1. */
double cofi_fast_mass(int window, double sigma);

/* The terms of a model, as kernels read them. */
typedef struct CofiFastFactors {
    const CofiLowRank *low_rank;
    int size;              /* of a cell: terms x spread, and zeros */
    const float *in, *out; /* of each label: size */
} CofiFastFactors;

/* Bytes of the memory for any model's. */
size_t cofi_fast_factors_size(const CofiFastPlan *plan);
void cofi_fast_fill_factors(CofiFastFactors *factors, float *memory, const CofiFastPlan *plan,
                            const CofiLowRank *low_rank);

/* One tile, row after row. */
typedef struct CofiFast {
    const CofiFastPlan *plan;
    const CofiFastFactors *factors;
    const CofiKernels *kernels;
    const CofiLineBuffer *lines; /* its radius is the plan's */
    int x, y;                    /* of the tile, in the full image */
    int first_cell;              /* along x, of those that are splatted */
    int next_row, next_blur;     /* of cells: to be splatted; to be blurred downwards */
    ptrdiff_t row_size;          /* of cells */
    float *pixels, *weights;     /* of rows of pixels, for kernels */
    float *splatted;             /* a row of cells */
    float *across;               /* blurred along x: a line buffer of rows */
    float *blurred;              /* blurred along both: a line buffer of rows */
} CofiFast;

void cofi_fast_start(CofiFast *fast, void *memory, const CofiFastPlan *plan,
                     const CofiFastFactors *factors, const CofiKernels *kernels,
                     const CofiLineBuffer *lines);

/* Row y of the source (the line buffer lies around it): the values of its pixels. unsure[i] is set
 * where the exact filter has to be asked. */
void cofi_fast_row(CofiFast *fast, int y, float *const *values, uint8_t *unsure);

#endif
