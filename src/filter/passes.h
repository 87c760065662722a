/* SPDX-License-Identifier: BSD-2-Clause */
/* All passes of the filter over an image. */
#ifndef COF_PASSES_H
#define COF_PASSES_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "filter/filter.h"
#include "learn/model.h"

/* What is filtered, and with which models. All images are complete. */
typedef struct CofiFilterImages {
    const CofModel *model;
    const CofModel *foreground; /* stays as it is; NULL: everything is filtered */
    bool only_matte;            /* `out` is the matte of the foreground */
    const CofImage *guide;      /* labels are found in it; NULL: in `in` */
    const CofImage *labels;     /* given labels; NULL: they are found */
    const CofPart *part;        /* `in` is its image, and its labels are used; NULL: none */
    const CofImage *prior;      /* prior of the foreground; NULL: 1/2 */
    CofiRefinement *refinement; /* of the result, on a device; NULL: none */
    const CofImage *in, *out;
} CofiFilterImages;

/* Filters one tile of the full image with all passes, and writes it to `out`: with each member of
 * the model, and the mean of their results. *pixels becomes the number of its pixels that have
 * data, which the change of its passes is the mean of. cofi_filter_images() finds the tiles. */
CofStatus cofi_filter_tile(CofiCall *call, const CofiFilterImages *images, CofRect part,
                           double *pixels);

/* What that is asked of the filter. */
CofiFilterJob cofi_filter_images_job(const CofiCall *call, const CofiFilterImages *images,
                                     CofRect part);

/* What the options ask of the filter. */
CofiFilterJob cofi_filter_job(const CofOptions *options, int model_window, double model_sigma,
                              const CofImage *in, const CofImage *out, CofRect part);

/* All passes of an open filter, which has its labels, with one member of a model, or with all that
 * are filtered together. */
CofStatus cofi_filter_passes(CofiCall *call, CofiFilter *filter, const CofModel *const *models);

/* Adds the result of a member, after its passes, to the mean, unless the last pass has done that.
 */
CofStatus cofi_filter_add_to_mean(CofiFilter *filter);

/* The passes that are left after the first so many of the job. */
int cofi_passes_left(const CofiFilterJob *job, int done);

/* Adds the change of the pass that has just run to the report. */
void cofi_report_pass(const CofiFilter *filter, double change);
bool cofi_converged(const CofiCall *call, double change);

/* How many pixels beyond its output the filter reads, in all passes together. */
int cofi_filter_margin(const CofModel *model, const CofOptions *options);

/* Units of progress of so many passes with each of the members, with labelling, storing and
 * residual correction. */
double cofi_passes_units(const CofOptions *options, int members, int passes);

#endif
