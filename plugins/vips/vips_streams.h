/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes images that need not fit in memory: learns strip by strip, filters tile by tile. */
#ifndef COF_VIPS_STREAMS_H
#define COF_VIPS_STREAMS_H

#include "vips_pixels.h"
#include "vips_report.h"
#include "vips_small.h"

/* An image to learn from. */
typedef struct LearningSource {
    Pixels pixels;
    VipsImage *progress_image; /* receives the progress signals */
    VipsImage *mask;           /* NULL: none */
    CofRect region;            /* all 0: the whole image */
    bool labels;               /* the pixels hold labels */
    SmallImage *small;         /* the cache of the operation */
    const char *device;        /* of whole images; NULL: none */
    RunReport *run;            /* collects the reports */
    Argument argument;         /* for errors */
} LearningSource;

/* Each function returns 0, or -1 with the libvips error set. */

/* Runs cof_stats_scan() on the whole image. */
int stream_scan(const LearningSource *source, CofStats *stats, const CofOptions *options);

/* Runs cof_stats_add() or cof_stats_add_labels() on the whole image. */
int stream_count(const LearningSource *source, CofStats *stats, const CofOptions *options);

/* Creates an image that is filtered on demand. Takes ownership of the model, and of the
 * downscaled image after all passes; *coarse is NULL if it is not downscaled. `guide` is an image
 * to label, or holds labels; NULL: `in`. `run` collects the reports as pixels are computed. */
int stream_filter(CofModel **model, CofCoarse **coarse, const Pixels *in, const Pixels *guide,
                  bool labels, const CofOptions *options, RunReport *run, const Argument *argument,
                  VipsImage **out);

#endif
