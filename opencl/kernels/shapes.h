/* SPDX-License-Identifier: BSD-2-Clause */
/* What both the kernels and the code that starts them must know. Compiled as C and as OpenCL C. */
#ifndef COF_SHAPES_H
#define COF_SHAPES_H

/* Items of a work-group, in one row. */
#define ITEMS 256

/* A work-group of the exact filter has fewer. It filters TILE_WIDTH columns. */
#define PASS_ITEMS 128
#define TILE_WIDTH 32

/* The largest palette whose weights lie in local memory. */
#define FEW_LABELS 32

/* With few labels and a radius up to this one, a work-group counts the pairs of so many blocks in
 * local memory. */
#define COUNT_RADIUS 7
#define COUNT_BLOCKS 1024

/* A pass of the filter. Rectangles are in coordinates of the view. */
typedef struct PassShape {
    int k, radius, border;
    int width, height; /* of the view */
    int view_x, view_y, full_width, full_height;
    int x, columns, first, end; /* what is written: rows first..end-1 of columns x..x+columns-1 */
    int measured, first_sum;    /* is the change measured? In sums[first_sum...] */
    int part_x, part_y, part_width, part_height; /* where */
    int alpha_bytes; /* of an alpha: 1 or 2 of a number, 4 of a float; 0: all are 1 */
    float units[3];  /* of the bands, for the change */
} PassShape;

/* Rows that a work-group refines one by one, and with windows of radius 2, which it walks down. */
#define REFINE_ROWS 8
#define REFINE_WALK 32

/* Refinement. Values of a band are scaled to value * unit + shift, and results of it to
 * result * range + middle. */
typedef struct RefineShape {
    int some_stay;                      /* only pixels that are marked are refined */
    int to_bytes, channels, bands, lab; /* results are stored as bytes of such pixels */
    float unit[3], shift[3], range[3], middle[3];
    float detail; /* share of what was removed that is added back */
} RefineShape;

/* The largest palette of the fast filter; items of a group that slices, terms that it slices
 * together, and the cells along one side of its tile for a step of the grid. */
#define FAST_LABELS 128
#define SLICE_ITEMS 128
#define SLICE_TERMS 4
#define TILE_CELLS_OF(step) ((step) >= 16 ? 2 : 32 / (step))

/* Small cells are summed by each group that needs them: writing them to memory and reading them
 * would take longer. */
#define SPLATS_ITSELF(step) ((step) == 2)

/* The fast filter. The buffer of cells begins at cell (cell_x, cell_y) of the grid, which begins at
 * (0, 0) of the full image. */
typedef struct FastShape {
    int terms, each;
    int cell_x, cell_y, cells_wide, cells_high;
} FastShape;

#endif
