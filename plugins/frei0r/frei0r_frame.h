/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames: four bytes a pixel, red, green, blue, alpha, in packed rows. */
#ifndef COF_FREI0R_FRAME_H
#define COF_FREI0R_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cof/cof.h"

bool frame_is_opaque(const uint8_t *frame, size_t pixels);

/* A view of a frame for the library. Without alpha it is filtered faster, to the same colours if
 * the frame is opaque. */
CofImage frame_view(const uint8_t *frame, int width, int height, bool alpha);

void frame_make_opaque(uint8_t *frame, size_t pixels);

/* after = before + (after - before) x share / FULL_STRENGTH, to the nearest; share < FULL_STRENGTH.
 */
void frame_blend(const uint8_t *restrict before, uint8_t *restrict after, size_t bytes,
                 uint32_t strength);

#endif
