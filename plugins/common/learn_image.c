/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns statistics from one image in memory. */
#include "learn_image.h"

CofStatus learn_image_stats(const CofImage *image, const CofOptions *options, CofStats **stats)
{
    CofStatus status = cof_stats_new(stats, options);
    if (status == COF_OK)
        status = cof_stats_scan(*stats, image, NULL, options);
    if (status == COF_OK)
        status = cof_stats_fit_palette(*stats, options);
    if (status == COF_OK)
        status = cof_stats_add(*stats, image, NULL, options);
    if (status != COF_OK)
        cof_stats_free(stats);
    return status;
}

bool learn_image_has_contrast(const CofStats *stats)
{
    const uint64_t *histogram = cof_stats_histogram(stats);
    int seen = 0;
    for (int i = 0; i < cof_stats_size(stats); i++)
        seen += histogram[i] > 0;
    return seen > 1;
}
