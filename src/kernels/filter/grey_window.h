/* SPDX-License-Identifier: BSD-2-Clause */
/* The window of a pixel of 8-bit grey, as the vector kernels read it. Each level includes this file
 * after it has defined Label, the type of a label in the window, and PIXELS. */
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* A vector has this many columns of two rows. */
#define VECTOR_COLUMNS 16
#define VECTOR_LABELS (2 * VECTOR_COLUMNS)

#define MAX_PAIRS ((COFI_GREY_SIDE + 1) / 2)
#define MAX_VECTORS (COFI_GREY_SIDE / VECTOR_COLUMNS + 1)
#define COLUMN_WEIGHTS (MAX_VECTORS * VECTOR_COLUMNS)

/* Rows at the same distance from the middle are joined in pairs, since the Gaussian gives them the
 * same weight: labels of a pair are those of one row and of the other in turns. */
typedef struct Window {
    ptrdiff_t stride;             /* of labels, from one pair to the next */
    int pairs, vectors;           /* pairs of rows, and vectors of each */
    const float *rows;            /* the weight of each pair */
    const float *columns[PIXELS]; /* the weight of each column, in the order of place_of() */
} Window;

/* The labels of a window, from the first pair on: all are from `least` to `most`. */
typedef struct Labels {
    const Label *at;
    int least, most;
} Labels;

/* The window of 15 pixels has loops of its own. */
#define IS_USUAL(window) ((window)->pairs == 8 && (window)->vectors == 1)
