/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks of the frames of a video: given for some, and carried from there to the frames after. */
#ifndef COF_MASK_TRACKER_H
#define COF_MASK_TRACKER_H

#include <stdbool.h>

#include "video/video_file.h"

typedef struct MaskTracker MaskTracker;

/* Returns NULL if there is not enough memory. */
MaskTracker *mask_tracker_new(const VideoFile *video);
void mask_tracker_free(MaskTracker *tracker);

/* Gives the mask of a frame, counted from 1, as packed bytes that are copied. False if there is not
 * enough memory. */
bool mask_tracker_give(MaskTracker *tracker, int64_t frame, const uint8_t *mask);

/* Finds the mask of a frame, counted from 1, as packed bytes. Every frame must be asked for, and by
 * one thread; a thread waits until all frames before its own are done. *found is false where no
 * mask is known: before the first that was given, and from a cut on until the next. */
CofStatus mask_tracker_find(MaskTracker *tracker, int64_t frame, const CofImage *image,
                            const CofOptions *options, uint8_t *mask, bool *found);

#endif
