/* SPDX-License-Identifier: BSD-2-Clause */
/* Images that need not fit in memory: scanned and counted strip by strip, filtered tile by tile. */
#ifndef COF_VIPS_STREAMS_H
#define COF_VIPS_STREAMS_H

#include "vips_pixels.h"
#include "vips_report.h"

/* What is learned from. */
typedef struct LearningSource {
    Pixels pixels;
    VipsImage *progress_image; /* whose progress is told */
    VipsImage *mask;           /* NULL: none */
    CofRect region;            /* all 0: everywhere */
    bool labels;               /* the pixels are labels */
    RunReport *run;            /* is told what was done */
} LearningSource;

/* Each returns 0, or -1 with libvips' error set under the name of the operation. */

/* cof_stats_scan() of the whole image. */
int stream_scan(const LearningSource *source, CofStats *stats, const CofOptions *options,
                const char *operation);

/* cof_stats_add() or cof_stats_add_labels(). */
int stream_count(const LearningSource *source, CofStats *stats, const CofOptions *options,
                 const char *operation);

/* An image that is filtered where it is asked for. Takes over the model. `guide`: where labels come
 * from, or labels themselves; NULL: `in`. `run` is told what was done, then. */
int stream_filter(CofModel **model, const Pixels *in, const Pixels *guide, bool labels,
                  const CofOptions *options, RunReport *run, const char *operation,
                  VipsImage **out);

/* Says what went wrong in libcof. Returns -1. */
int stream_fail(const char *operation, CofStatus status, const CofReport *report);

#endif
