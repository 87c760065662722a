/* SPDX-License-Identifier: BSD-2-Clause */
/* T: the label of each pixel, and which pixels are learned from. */
#ifndef COF_LABEL_MAP_H
#define COF_LABEL_MAP_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/roi.h"
#include "learn/palette.h"

/* Labels and learning members of a view, with a border of `radius` non-members around it, so that
 * a window never leaves the map. */
typedef struct CofiLabelMap {
    int width, height, radius;
    ptrdiff_t stride;
    uint8_t *labels, *members; /* of the first pixel of the first row */
    bool only_members;         /* of all pixels of the view */
    bool implied;              /* all are members, and `members` is not filled in */
    const uint8_t *unpadded;   /* labels to be copied, in rows of the view; NULL: the map has all */
    CofiDeviceImage *on_device; /* which has the labels, and the map not; NULL: the map has */
} CofiLabelMap;

CofStatus cofi_label_map_take(CofiLabelMap *map, CofiCall *call, int width, int height, int radius);

/* Fills a map with the labels and members of a view. */
CofStatus cofi_label_map_fill(CofiLabelMap *map, CofiCall *call, const CofiPalette *palette,
                              const CofImage *image, const CofiRoi *roi, double units);

/* Fills in only the members of a view; not even these if all pixels must be members. */
CofStatus cofi_label_map_members(CofiLabelMap *map, CofiCall *call, const CofImage *image,
                                 const CofiRoi *roi, double units);

/* Copies labels, if there are any to be copied. Then, if non-members are to be marked, they get
 * COFI_NO_LABEL, borders included; else members are filled in. */
#define COFI_NO_LABEL 255
CofStatus cofi_label_map_complete(CofiLabelMap *map, CofiCall *call, bool mark);

/* Fills a map with given labels, and with members: COF_ERR_MISMATCH if the label of a member is not
 * below k. */
CofStatus cofi_label_map_given(CofiLabelMap *map, CofiCall *call, int k, const CofImage *labels,
                               const CofiRoi *roi, double units);

/* Fills a map with the members of a view and with its labels, which are known, in rows as wide as
 * the view. */
CofStatus cofi_label_map_known(CofiLabelMap *map, CofiCall *call, const uint8_t *labels,
                               const CofImage *image, const CofiRoi *roi, double units);

/* Packed labels of an image, without the padding of the map; 0 for invalid pixels. Overwrites the
 * members of the map. */
void cofi_label_map_copy(const CofiLabelMap *map, const CofImage *image, uint8_t *labels);

/* Packed labels of a whole image; 0 for invalid pixels. Worth one unit of progress. The call owns
 * the memory. */
CofStatus cofi_labels_of_image(CofiCall *call, const CofiPalette *palette, const CofImage *image,
                               uint8_t **labels);

#endif
