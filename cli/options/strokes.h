/* SPDX-License-Identifier: BSD-2-Clause */
/* Strokes as text: "X,Y X,Y ...:RADIUS". */
#ifndef COF_STROKES_H
#define COF_STROKES_H

#include <stdbool.h>
#include <stdint.h>

/* Checks the syntax. Prints an error about the option `name` and returns false if it is wrong. */
bool stroke_check(const char *name, const char *text);

/* Marks the pixels within the radius of the line through the points with 255. Returns the number of
 * pixels that were not marked before. */
int stroke_draw(const char *text, uint8_t *marks, int width, int height);

#endif
