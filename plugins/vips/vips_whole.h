/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns from images in memory: those that libcof downscales first (CofOptions, downscale), and
 * those of a device. */
#ifndef COF_VIPS_WHOLE_H
#define COF_VIPS_WHOLE_H

#include "vips_streams.h"

/* Like stream_scan() and stream_count(), with one library call each. Only the second one
 * takes labels. */
int whole_scan(const LearningSource *source, CofStats *stats, const CofOptions *options);
int whole_count(const LearningSource *source, CofStats *stats, const CofOptions *options);

#endif
