/* SPDX-License-Identifier: BSD-2-Clause */
/* Strokes: lines through points. */
#ifndef COF_STROKE_H
#define COF_STROKE_H

#include <stddef.h>
#include <stdint.h>

#include "cof/cof.h"

/* Sets the pixels of a complete byte image within the radius of the lines through n points (pairs
 * of x and y, all finite) to `value`. Returns how many pixels lie there. */
size_t cofi_stroke_draw(const CofImage *mask, const double *points, size_t n, double radius,
                        uint8_t value);

#endif
