/* SPDX-License-Identifier: BSD-2-Clause */
/* The stages of learning over images: scan, palette, labels, counts, model. */
#ifndef COF_LEARN_H
#define COF_LEARN_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "image/roi.h"
#include "learn/label_map.h"
#include "learn/part.h"
#include "learn/stats.h"

/* What is learned from: an image, or a downscaled copy of it. */
typedef struct CofiTrainingImage {
    CofImage image;
    CofRoi roi;       /* of `image` */
    CofiRoi complete; /* holds the mask of `roi`, if that was downscaled */
} CofiTrainingImage;

/* Prepares a complete view. A factor above 1 needs a whole image; the memory of the downscaled copy
 * belongs to the call. */
CofStatus cofi_training_image(CofiCall *call, int downscale, const CofImage *image,
                              const CofRoi *roi, CofiTrainingImage *training);

/* Units of progress of preparing a training image and of `units` of work on it. */
double cofi_training_units(int downscale, double units);

/* Scans a complete view. */
CofStatus cofi_learn_scan(CofiCall *call, CofStats *stats, const CofImage *image,
                          const CofRoi *roi);

/* Counts the pairs of a label map of a complete view. */
CofStatus cofi_learn_count(CofiCall *call, CofStats *stats, const CofImage *view, CofiLabelMap *map,
                           const CofiRoi *roi);

/* Counts the pairs of a complete view: of an image, of a part, which keeps its labels, or of
 * labels.
 */
CofStatus cofi_learn_add(CofiCall *call, CofStats *stats, const CofImage *image, const CofRoi *roi);
CofStatus cofi_learn_add_part(CofiCall *call, CofStats *stats, CofPart *part, const CofRoi *roi);
CofStatus cofi_learn_add_labels(CofiCall *call, CofStats *stats, const CofImage *labels,
                                const CofRoi *roi);

/* A model from n complete views of whole images, with the options of the call. `rois` may be NULL;
 * parts are ignored. */
CofStatus cofi_learn_model(CofiCall *call, const CofImage *images, const CofRoi *rois, int n,
                           CofModel **model);
double cofi_learn_model_units(const CofOptions *options, int n); /* of progress */

/* Models of the pairs inside a mask and of those outside, with one palette; options.gap pixels
 * around the mask belong to neither. Both are complete views of whole images. */
CofStatus cofi_learn_pair(CofiCall *call, const CofImage *image, const CofImage *mask,
                          CofModel **foreground, CofModel **background);
#define COFI_LEARN_PAIR_UNITS 24.0 /* of progress: dilate, scan, and twice label and count */

#endif
