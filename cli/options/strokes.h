/* SPDX-License-Identifier: BSD-2-Clause */
/* Strokes that are drawn by words: "X,Y X,Y ...:RADIUS". */
#ifndef COF_STROKES_H
#define COF_STROKES_H

#include <stdbool.h>
#include <stdint.h>

/* Can it be read? Complains about the option `name` if not. */
bool stroke_check(const char *name, const char *text);

/* Marks the pixels within the radius of the line through the points; returns how many are marked
 * then that were not. */
int stroke_draw(const char *text, uint8_t *marks, int width, int height);

#endif
