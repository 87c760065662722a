/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations on frames: packed rows of 8-bit RGBA. */
#ifndef COF_FREI0R_FRAME_H
#define COF_FREI0R_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cof/cof.h"

bool frame_is_opaque(const uint8_t *frame, size_t pixels);

/* A view of a frame for the library. For an opaque frame, `alpha` false is faster and gives the
 * same colours. */
CofImage frame_view(const uint8_t *frame, int width, int height, bool alpha);

/* Draws a border of red and black stripes, the sign of a mistake in the parameters. */
void frame_mark(uint8_t *frame, int width, int height);

void frame_make_opaque(uint8_t *frame, size_t pixels);

#endif
