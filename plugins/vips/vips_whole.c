/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns from images in memory that libcof downscales first. Downscaling needs the whole image, so
 * these images are not streamed. */
#include "vips_whole.h"

#include "vips_progress.h"

typedef CofStatus LearnFunction(CofStats *stats, const CofImage *image, const CofWhere *where,
                                const CofOptions *options);

static int learn(const LearningSource *source, VipsImage *pixels, VipsImage *mask, CofStats *stats,
                 const CofOptions *options, const char *operation, LearnFunction *call)
{
    const Pixels bytes = {.kind = COF_GREY, .sample = COF_U8};
    CofImage view = pixels_whole(&source->pixels, pixels), mask_view;
    CofWhere where = {.region = source->region};
    if (mask) {
        mask_view = pixels_whole(&bytes, mask);
        where.mask = &mask_view;
    }
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    ImageProgress progress;
    image_progress_begin(&progress, source->progress_image, &own);
    CofStatus status = call(stats, &view, &where, &own);
    image_progress_end(&progress);
    run_report_add(source->run, &report, 0);
    return status == COF_OK ? 0 : stream_fail(operation, status, &report);
}

static int read_and_learn(const LearningSource *source, CofStats *stats, const CofOptions *options,
                          const char *operation, LearnFunction *call)
{
    VipsImage *pixels = vips_image_copy_memory(source->pixels.image);
    VipsImage *mask = pixels && source->mask ? vips_image_copy_memory(source->mask) : NULL;
    bool read = pixels && (mask || !source->mask);
    int failed = read ? learn(source, pixels, mask, stats, options, operation, call) : -1;
    VIPS_UNREF(pixels);
    VIPS_UNREF(mask);
    return failed;
}

int whole_scan(const LearningSource *source, CofStats *stats, const CofOptions *options,
               const char *operation)
{
    return read_and_learn(source, stats, options, operation, cof_stats_scan);
}

int whole_count(const LearningSource *source, CofStats *stats, const CofOptions *options,
                const char *operation)
{
    return read_and_learn(source, stats, options, operation, cof_stats_add);
}
