/* SPDX-License-Identifier: BSD-2-Clause */
/* From strokes to a mask, with a state that further strokes can be added to. */
#ifndef COF_SELECTION_H
#define COF_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cof/cof.h"
#include "call/call.h"
#include "filter/selection_map.h"
#include "filter/selection_refine.h"

/* Labels, and what CofStroke marks with; 0 is neither. */
#define COFI_FOREGROUND COF_STROKE_FOREGROUND
#define COFI_BACKGROUND COF_STROKE_BACKGROUND

struct CofSelection {
    CofImage image; /* the caller's pixels */
    CofiSelectionMap map;
    uint8_t *marks; /* packed, as large as the image */
    CofiFineEdges fine;
    bool has_mask;                     /* are the next two those of the last mask? */
    uint8_t *last_labels, *last_marks; /* at the size of the map */
    bool is_given;  /* was the last mask given? Then only marks that contradict it are new */
    uint8_t *given; /* a mask that was given, with all corrections, as labels; NULL: none */
    uint8_t *held;  /* seeds of its parts, at the size of the map */
};

/* Prepares a complete view of a whole image, whose pixels must stay where they are. */
CofStatus cofi_selection_new(CofiCall *call, const CofImage *image, CofSelection **selection);
void cofi_selection_free(CofSelection **selection);

/* The marks as a byte image. */
CofImage cofi_selection_marks(const CofSelection *selection);

/* Marks the pixels of a complete byte image, of the size of the image, that are not 0. */
void cofi_selection_add(CofSelection *selection, const CofImage *pixels, uint8_t mark);

/* Makes a mask of the marks, 0 or 255. COF_ERR_EMPTY if the foreground has none. NULL for `mask`:
 * only what the next correction needs. */
CofStatus cofi_selection_update(CofiCall *call, CofSelection *selection, const CofImage *mask);
#define COFI_SELECTION_UPDATE_UNITS 1.0 /* of progress */

/* Changes the last mask near what was marked or erased since then. As cofi_selection_update() if
 * there is none, or no mark of the background, unless a mask was given. */
CofStatus cofi_selection_correct(CofiCall *call, CofSelection *selection, const CofImage *mask);

#endif
