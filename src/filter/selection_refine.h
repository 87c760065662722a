/* SPDX-License-Identifier: BSD-2-Clause */
/* From the mask of a downscaled image to that of the image: the border moves to the edge that is
 * found at full size. */
#ifndef COF_SELECTION_REFINE_H
#define COF_SELECTION_REFINE_H

#include <stdint.h>

#include "cof/cof.h"
#include "call/call.h"
#include "filter/selection_map.h"

/* Edges at full size, found where they were needed until now. */
typedef struct CofiFineEdges {
    uint16_t *levels; /* of each pixel; NULL: none were needed */
    uint8_t *known;   /* of each tile: its levels are known */
} CofiFineEdges;

void cofi_fine_edges_clear(CofiFineEdges *fine);

/* Labels of a mask before it was corrected, at the size of the map and of the image. */
typedef struct CofiUncorrected {
    const uint8_t *small, *large; /* large is NULL if there is no such mask */
} CofiUncorrected;

/* Upscales labels of the map to the size of the image. Near a change of label, the labels follow
 * the edges of the image; marks that are not 0 stay. What was not corrected stays, too. The call
 * owns the memory of `large`. */
CofStatus cofi_selection_refine(CofiCall *call, const CofImage *image, const CofiSelectionMap *map,
                                const uint8_t *labels, const uint8_t *marks, CofiUncorrected before,
                                CofiFineEdges *fine, uint8_t **large);

#endif
