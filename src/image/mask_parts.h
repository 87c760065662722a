/* SPDX-License-Identifier: BSD-2-Clause */
/* Connected parts of masks and labels. */
#ifndef COF_MASK_PARTS_H
#define COF_MASK_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "call/call.h"

/* Keeps what has at least `radius` pixels of its own on all four sides; beyond the border of the
 * image, there is nothing else. Bytes are packed, 0 or 1. */
void cofi_shrink(const uint8_t *bytes, int width, int height, int radius, uint8_t *out);

/* Clears all pixels of packed bytes that are not connected to the border of the image. Pixels have
 * four neighbours. */
CofStatus cofi_keep_at_border(CofiCall *call, uint8_t *bytes, int width, int height);

/* Gives connected parts of one label that have fewer than `smallest` pixels the other label: first
 * those of label 1, then those of label 2. Parts with a marker of their own label stay. */
CofStatus cofi_remove_small_parts(CofiCall *call, uint8_t *labels, const uint8_t *markers,
                                  int width, int height, size_t smallest);

/* Clears connected parts of packed bytes, 0 or 1: those of fewer than `smallest` pixels, or those
 * with a pixel that is marked, which means not 0. */
CofStatus cofi_clear_small_parts(CofiCall *call, uint8_t *bytes, int width, int height,
                                 size_t smallest);
CofStatus cofi_clear_marked_parts(CofiCall *call, uint8_t *bytes, const uint8_t *marks, int width,
                                  int height);

/* Gives connected parts of fewer than `smallest` pixels the label with the longest border to them,
 * of several the smallest one: first parts below 2 pixels, then below 4, 8 and so on, each time in
 * the order of their first pixels. Pixels that are not valid belong to no part. */
CofStatus cofi_merge_small_parts(CofiCall *call, uint8_t *labels, const uint8_t *valid, int width,
                                 int height, size_t smallest);

#endif
