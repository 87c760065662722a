/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks that were given, to be corrected without the strokes that they were made of. */
#ifndef COF_SELECTION_GIVEN_H
#define COF_SELECTION_GIVEN_H

#include "call/call.h"
#include "filter/selection.h"

/* Makes a complete byte image, of the size of the image, the last mask. */
CofStatus cofi_selection_set_mask(CofSelection *selection, const CofImage *mask);
void cofi_selection_forget_mask(CofSelection *selection);

/* Adds to the seeds what holds the parts of a given mask, unless marks do. Marks that agree with
 * the mask are no longer new. Marks and seeds have the size of the map. */
CofStatus cofi_selection_hold(CofiCall *call, CofSelection *selection, const uint8_t *marks,
                              uint8_t *seeds);

#endif
