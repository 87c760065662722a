/* SPDX-License-Identifier: BSD-2-Clause */
/* Strokes as text: "X,Y X,Y ...:RADIUS". */
#ifndef COF_STROKES_H
#define COF_STROKES_H

#include <stdbool.h>

#include "cof/cof.h"

/* Checks the syntax. Prints an error about the option `name` and returns false if it is wrong. */
bool stroke_check(const char *name, const char *text);

/* Draws a stroke with 255 into a byte image. COF_ERR_EMPTY if it lies outside. */
CofStatus stroke_draw(const char *text, const CofImage *mask, const CofOptions *options);

#endif
