/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of a video that decay exponentially and restart at a scene cut. */
#include "adaptive_stats.h"

#include <math.h>
#include <stdbool.h>

#include "learn_image.h"

/* A scene cut: more than this share of the pixels has changed its colour or label. */
#define MAX_DIFFERENCE 0.5

/* Denominator of the decay factor that cof_stats_decay() takes. */
#define DECAY_DENOMINATOR 1000000

void adaptive_stats_clear(AdaptiveStats *adaptive)
{
    cof_stats_free(&adaptive->stats);
    *adaptive = (AdaptiveStats){.stats = NULL};
}

/* Half the L1 distance of the normalised label histograms: 0..1. */
static double difference(const CofStats *a, const CofStats *b)
{
    int k = cof_stats_size(a);
    const uint64_t *one = cof_stats_histogram(a), *two = cof_stats_histogram(b);
    double sums[2] = {0}, sum = 0;
    for (int i = 0; i < k; i++) {
        sums[0] += (double)one[i];
        sums[1] += (double)two[i];
    }
    if (sums[0] <= 0 || sums[1] <= 0)
        return 1;
    for (int i = 0; i < k; i++)
        sum += fabs((double)one[i] / sums[0] - (double)two[i] / sums[1]);
    return sum / 2;
}

/* Statistics that decayed but were not merged are of no use, so they are cleared. */
static CofStatus decay_and_merge(AdaptiveStats *f, const CofStats *fresh,
                                 const ColourHistogram *histogram, double rate, CofProblem *problem)
{
    uint32_t kept = (uint32_t)lrint((1 - rate) * DECAY_DENOMINATOR);
    CofStatus status = cof_stats_decay(f->stats, kept, DECAY_DENOMINATOR, problem);
    if (status != COF_OK)
        return status;
    status = cof_stats_merge(f->stats, fresh, problem);
    if (status == COF_OK)
        colour_histogram_blend(&f->histogram, histogram, rate);
    else
        adaptive_stats_clear(f);
    return status;
}

/* Counts a frame with the current palette. *fresh stays NULL, with COF_OK, after a scene cut. */
static CofStatus count(const AdaptiveStats *f, const CofImage *frame,
                       const ColourHistogram *histogram, const CofOptions *options,
                       CofStats **fresh)
{
    if (!f->stats || colour_histogram_distance(&f->histogram, histogram) > MAX_DIFFERENCE)
        return COF_OK;
    CofStatus status = cof_stats_new_like(fresh, f->stats, options->problem);
    if (status == COF_OK)
        status = cof_stats_add(*fresh, frame, NULL, options);
    if (status != COF_OK || difference(f->stats, *fresh) > MAX_DIFFERENCE)
        cof_stats_free(fresh);
    return status;
}

CofStatus adaptive_stats_add(AdaptiveStats *f, const CofImage *frame, double rate,
                             const CofOptions *options)
{
    ColourHistogram histogram = colour_histogram_of(frame);
    CofStats *fresh = NULL;
    CofStatus status = count(f, frame, &histogram, options, &fresh);
    if (status == COF_OK && fresh) {
        status = decay_and_merge(f, fresh, &histogram, rate, options->problem);
    } else if (status == COF_OK) {
        adaptive_stats_clear(f);
        status = learn_image_stats(frame, options, &f->stats);
        f->histogram = histogram;
    }
    cof_stats_free(&fresh);
    return status;
}
