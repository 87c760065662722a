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
CofStatus cofi_enter(CofiRun *run, const CofOptions *options, bool sensible, const char *problem);

/* Each completes what the caller gave, or puts what is wrong with it into the report. */
CofStatus cofi_check_image(CofiRun *run, const CofImage *image, CofImage *complete);
CofStatus cofi_check_where(CofiRun *run, const CofWhere *where, const CofImage *image, CofRect part,
                           CofiWhere *complete);
CofStatus cofi_check_pair(CofiRun *run, const CofImage *in, const CofImage *out, CofImage *in_view,
                          CofImage *out_view);
CofStatus cofi_mismatch(CofiRun *run, const char *problem);

/* learn.c: the scan of a complete view (`alone`: of all that will be scanned), and the counts of
 * its labels. */
CofStatus cofi_learn_scan(CofiRun *run, CofStats *stats, const CofImage *image,
                          const CofWhere *where, bool alone);
CofStatus cofi_learn_count(CofiRun *run, CofStats *stats, const CofImage *view, CofiLabelMap *map,
                           const CofiWhere *where);

/* The counts of a complete view. */
CofStatus cofi_learn_add(CofiRun *run, CofStats *stats, const CofImage *image,
                         const CofWhere *where);

/* apply.c: what the options ask of the filter, and its passes. */
CofiFilterJob cofi_filter_job(const CofOptions *options, int model_window, double model_sigma,
                              const CofImage *in, const CofImage *out, CofRect part);
CofStatus cofi_run_passes(CofiRun *run, CofiFilter *filter, const CofModel *model);

/* What is filtered: whole images, complete. */
typedef struct CofiFiltered {
    const CofImage *guide; /* NULL: in */
    const CofImage *in, *out;
    const CofImage *still;   /* what pixels are that nothing mixes with; NULL: in */
    const uint8_t *synonyms; /* the label that stands for each; NULL: itself */
} CofiFiltered;

CofStatus cofi_filter_pictures(CofiRun *run, const CofModel *model, const CofiFiltered *pictures);
void cofi_report_pass(CofiRun *run, double change);
bool cofi_is_still(const CofiRun *run, double change); /* until was reached */
double cofi_filter_units(const CofOptions *options);   /* of progress */

/* coarse.c, where options.coarse is above 1: what is learned from an image, reduced; and the filter
 * with all its passes. */
typedef struct CofiLesson {
    CofImage image;
    CofWhere where;
    CofiWhere complete;
} CofiLesson;

CofStatus cofi_coarse_lesson(CofiRun *run, const CofImage *image, const CofWhere *where,
                             CofiLesson *lesson);

/* `reduced`: `in`, reduced already, which it makes use of; NULL: it is not. */
CofStatus cofi_filter_coarsely(CofiRun *run, const CofModel *model, const CofiFiltered *whole,
                               const CofImage *reduced);

/* Where that is not possible: fails with this problem. */
CofStatus cofi_check_coarse(CofiRun *run, const char *problem);

#endif
