/* SPDX-License-Identifier: BSD-2-Clause */
/* What the public entry points share: checks of their arguments, and stages run in their order. */
#ifndef COF_CHECKS_H
#define COF_CHECKS_H

#include "cof/cof.h"
#include "call/call.h"
#include "filter/filter.h"
#include "image/roi.h"
#include "learn/quantise.h"
#include "learn/stats.h"

/* Begins a run, and ends it at once with that problem if the arguments are not sensible. */
CofStatus cofi_enter(CofiCall *call, const CofOptions *options, bool sensible, const char *problem);

/* Each completes what the caller gave, or puts what is wrong with it into the report. */
CofStatus cofi_check_image(CofiCall *call, const CofImage *image, CofImage *complete);
CofStatus cofi_check_roi(CofiCall *call, const CofWhere *roi, const CofImage *image, CofRect part,
                         CofiRoi *complete);
CofStatus cofi_check_pair(CofiCall *call, const CofImage *in, const CofImage *out,
                          CofImage *in_view, CofImage *out_view);
CofStatus cofi_mismatch(CofiCall *call, const char *problem);

/* learn.c: the scan of a complete view (`alone`: of all that will be scanned), and the counts of
 * its labels. */
CofStatus cofi_learn_scan(CofiCall *call, CofStats *stats, const CofImage *image,
                          const CofWhere *roi, bool alone);
CofStatus cofi_learn_count(CofiCall *call, CofStats *stats, const CofImage *view, CofiLabelMap *map,
                           const CofiRoi *roi);

/* The counts of a complete view. */
CofStatus cofi_learn_add(CofiCall *call, CofStats *stats, const CofImage *image,
                         const CofWhere *roi);

/* apply.c: what the options ask of the filter, and its passes. */
CofiFilterJob cofi_filter_job(const CofOptions *options, int model_window, double model_sigma,
                              const CofImage *in, const CofImage *out, CofRect part);
CofStatus cofi_filter_passes(CofiCall *call, CofiFilter *filter, const CofModel *model);

/* What is filtered: whole images, complete. */
typedef struct CofiFilterImages {
    const CofImage *guide; /* NULL: in */
    const CofImage *in, *out;
    const CofImage *fallback;   /* what pixels are that nothing mixes with; NULL: in */
    const uint8_t *label_remap; /* the label that stands for each; NULL: itself */
} CofiFilterImages;

CofStatus cofi_filter_images(CofiCall *call, const CofModel *model, const CofiFilterImages *images);
void cofi_report_pass(CofiCall *call, double change);
bool cofi_converged(const CofiCall *call, double change); /* until was reached */
double cofi_filter_units(const CofOptions *options);      /* of progress */

/* coarse.c, where options.coarse is above 1: what is learned from an image, reduced; and the filter
 * with all its passes. */
typedef struct CofiTrainingImage {
    CofImage image;
    CofWhere roi;
    CofiRoi complete;
} CofiTrainingImage;

CofStatus cofi_downscale_training(CofiCall *call, const CofImage *image, const CofWhere *roi,
                                  CofiTrainingImage *training);

/* `reduced`: `in`, reduced already, which it makes use of; NULL: it is not. */
CofStatus cofi_filter_two_scale(CofiCall *call, const CofModel *model,
                                const CofiFilterImages *whole, const CofImage *reduced);

/* Where that is not possible: fails with this problem. */
CofStatus cofi_check_coarse(CofiCall *call, const char *problem);

#endif
