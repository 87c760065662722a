/* SPDX-License-Identifier: BSD-2-Clause */
/* The line buffer of the filter: the rows that a window covers while it moves down a tile. Each row
 * is loaded once, with its border, in the form that the kernels read. */
#ifndef COF_LINE_BUFFER_H
#define COF_LINE_BUFFER_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "image/colour.h"

/* The source of the rows: the pixels of a view, which lies at `rect` of the full image. */
typedef struct CofiSource {
    const CofImage *in;
    const CofImage
        *guide; /* as large as `in`; pixels without data in it have none here. NULL: none */
    const CofiColour *colour;
    CofRect rect;
    int bands;
    bool lab;                                /* bands are Lab, else samples */
    float *const *planes;                    /* values of an earlier pass; NULL: those of `in` */
    bool residual;                           /* values are those of `in` less those of the planes */
    const CofiPackedLab *packed;             /* Lab of 8-bit RGB; NULL: not kept */
    int n_labels;                            /* palettes whose labels are loaded */
    const uint8_t *labels[COF_MAX_PALETTES]; /* one of each pixel */
    bool gaps;                               /* alphas may differ from 1 */
    CofBorder border;
} CofiSource;

typedef struct CofiLineBuffer {
    const CofiSource *source;
    int radius;
    CofRect tile; /* in coordinates of the source */
    int first;    /* the first row that is loaded */
    int loaded;   /* rows before this one have been loaded */
    bool pointed; /* the pointers below are those of a window: */
    int y;        /* its centre row */
    ptrdiff_t stride;
    float *values;              /* of each slot: alphas, then bands times alphas */
    float *plain;               /* of each slot: bands. NULL without gaps */
    uint8_t *labels;            /* of each palette, of each slot */
    uint8_t *valid;             /* of each slot: has data. NULL without gaps */
    const uint8_t **all_rows;   /* label rows of the window, of each palette */
    const uint8_t **label_rows; /* of the palette that was chosen, at first the first */
    const float **alpha_rows;   /* alpha rows of the window; bands follow at one stride each */
} CofiLineBuffer;

/* The widest tile whose line buffer stays in the second-level cache. */
int cofi_line_buffer_width(const CofiSource *source, int radius);

/* Bytes of a line buffer for tiles of at most that width. */
size_t cofi_line_buffer_size(const CofiSource *source, int radius, int width);

/* Starts a tile in memory of that size, which must be zeroed before its first use. */
void cofi_line_buffer_start(CofiLineBuffer *lines, void *memory, const CofiSource *source,
                            int radius, int width, CofRect tile);

/* Moves the window to centre row y, which must not decrease within a tile. */
void cofi_line_buffer_move(CofiLineBuffer *lines, int y);

/* Prefetches a part of the row that is loaded next, 0..COFI_PREFETCH_PARTS-1. Hardware prefetchers
 * do not foresee the jump to the next row of a tile, and all parts at once would fill the queue of
 * a processor, which then waits. */
#define COFI_PREFETCH_PARTS 3
void cofi_line_buffer_prefetch(const CofiLineBuffer *lines, int part);

/* Makes label_rows those of a palette. */
void cofi_line_buffer_choose(CofiLineBuffer *lines, int palette);

/* Row y, inside the window, from pixel x of the tile on: a band, not multiplied by alpha; and
 * whether there is data (NULL: everywhere). */
const float *cofi_line_buffer_band(const CofiLineBuffer *lines, int band, int x, int y);
const uint8_t *cofi_line_buffer_valid(const CofiLineBuffer *lines, int x, int y);

#endif
