/* SPDX-License-Identifier: BSD-2-Clause */
/* What a correction can change. */
#ifndef COF_SELECTION_CORRECT_H
#define COF_SELECTION_CORRECT_H

#include <stdint.h>

#include "call/call.h"

/* How far a correction acts: so many times its length. */
#define COFI_CORRECTION_REACH 3.0

/* Clears the labels around each place where the marks have changed: `reach` times as far as the
 * place is long, and some pixels more. All are packed and of one size. */
CofStatus cofi_clear_near_changes(CofiCall *call, const uint8_t *marks, const uint8_t *last_marks,
                                  int width, int height, double reach, uint8_t *labels);

#endif
