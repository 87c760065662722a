/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges for given strokes. */
#ifndef COF_SELECTION_LEVELS_H
#define COF_SELECTION_LEVELS_H

#include <stdint.h>

#include "call/call.h"
#include "filter/selection_map.h"

/* Levels for cofi_flood(): those of the map, raised on edges between colours of the object and
 * colours of the background. Marks are at the size of the map. The map or the call owns the levels.
 */
CofStatus cofi_selection_levels(CofiCall *call, const CofiSelectionMap *map, const uint8_t *marks,
                                const uint16_t **levels);

#endif
