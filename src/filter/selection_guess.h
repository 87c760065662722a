/* SPDX-License-Identifier: BSD-2-Clause */
/* What must be background, to judge by its colours. */
#ifndef COF_SELECTION_GUESS_H
#define COF_SELECTION_GUESS_H

#include <stdbool.h>
#include <stdint.h>

#include "call/call.h"
#include "filter/selection_map.h"

/* The share that is background for certain, of those colours that occur least with those of the
 * object. */
#define COFI_UNLIKE 0.125

/* How usual each label is near those under the marks of one side: 0..1, and 0 without marks. If it
 * is sharp, the affinity of labels counts to the power of 1.5. */
void cofi_label_likelihood(const CofiSelectionMap *map, const uint8_t *marks, uint8_t side,
                           bool sharp, double likelihood[COFI_SELECTION_COLOURS]);

/* Adds to the seeds of the background a share of the image: what is least like the marked
 * foreground (and, if there are marks of the background, more like that) and reaches the border of
 * the image. Without marks of the background, enclosed parts will do if there are no others. Marks
 * and seeds are at the size of the map. */
CofStatus cofi_guess_background(CofiCall *call, const CofiSelectionMap *map, const uint8_t *marks,
                                double share, uint8_t *seeds);

#endif
