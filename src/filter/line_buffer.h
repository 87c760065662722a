/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows that a window covers while it moves down a tile: each is loaded once, with its border,
 * in the form that the filter kernels read. */
#ifndef COF_LINE_BUFFER_H
#define COF_LINE_BUFFER_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "image/colour.h"

/* Where rows come from: the pixels of a view, which lies at `rect` of the full image. */
typedef struct CofiSource {
    const CofImage *in;
    const CofImage *guide; /* as large; can only take data away. NULL: none */
    const CofiColour *colour;
    CofRect rect;
    int bands;
    bool lab;               /* bands are Lab, else samples */
    float *const *planes;   /* values of an earlier pass, row after row; NULL: those of `in` */
    int16_t *const *packed; /* Lab of 8-bit RGB, row after row; NULL: not known */
    const uint8_t *labels;  /* row after row */
    bool gaps;              /* alphas may differ from 1 */
    CofBorder border;
} CofiSource;

typedef struct CofiLineBuffer {
    const CofiSource *source;
    int radius;
    CofRect tile; /* in coordinates of the source */
    int first;    /* the first row that is ever in the line buffer */
    int loaded;   /* rows before this one are, or were, in the line buffer */
    ptrdiff_t stride;
    float *values;              /* of each slot: alphas, then bands times alphas */
    float *plain;               /* of each slot: bands. NULL without gaps */
    uint8_t *labels, *valid;    /* of each slot; live: has data */
    const uint8_t **label_rows; /* of the window */
    const float **alpha_rows;   /* the same; the bands follow, a stride each */
} CofiLineBuffer;

/* The widest tile whose line buffer stays in the second-level cache. */
int cofi_line_buffer_width(const CofiSource *source, int radius);

/* The bytes that a line buffer for tiles of at most that width needs. */
size_t cofi_line_buffer_size(const CofiSource *source, int radius, int width);

/* Begins a tile in memory of that size, which must be zeroed the first time. */
void cofi_line_buffer_start(CofiLineBuffer *lines, void *memory, const CofiSource *source,
                            int radius, int width, CofRect tile);

/* Makes the window lie around row y; y does not decrease. */
void cofi_line_buffer_move(CofiLineBuffer *lines, int y);

/* Of pixel x of the tile and row y, which lies inside the window: bands not multiplied by alpha,
 * and whether there is data (NULL: everywhere). */
const float *cofi_line_buffer_band(const CofiLineBuffer *lines, int band, int x, int y);
const uint8_t *cofi_line_buffer_valid(const CofiLineBuffer *lines, int x, int y);

#endif
