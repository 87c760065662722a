/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns from images in memory that libcof downscales first (CofOptions, downscale). */
#ifndef COF_VIPS_WHOLE_H
#define COF_VIPS_WHOLE_H

#include "vips_streams.h"

/* Like stream_scan() and stream_count(), with one library call each; not for labels. */
int whole_scan(const LearningSource *source, CofStats *stats, const CofOptions *options);
int whole_count(const LearningSource *source, CofStats *stats, const CofOptions *options);

#endif
