/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast filter: with a low-rank M the filter becomes a few Gaussian blurs, which are done on a
 * coarse grid. Its cost does not grow with the window. */
#ifndef COF_FAST_FILTER_H
#define COF_FAST_FILTER_H

#include "cof/cof.h"
#include "filter/fast_plan.h"
#include "filter/line_buffer.h"
#include "kernels/kernels.h"

/* Scratch bytes of one thread. */
size_t cofi_fast_size(const CofiFastPlan *plan);

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
    float *pixels;               /* the sliced rows */
    float *strip;                /* the pixels of a strip of cells, to splat */
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
