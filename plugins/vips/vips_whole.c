/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns from images that are downscaled first: large ones while they are read, others in memory.
 * Images with a mask or a region, and those of a device, are held in memory, too. */
#include "vips_whole.h"

#include "vips_device.h"
#include "vips_progress.h"

typedef CofStatus LearnFunction(CofStats *stats, const CofImage *image, const CofRoi *roi,
                                const CofOptions *options);

/* With the device, if one is asked for. */
static CofStatus call_on_device(const LearningSource *source, const CofImage *view,
                                const CofRoi *roi, CofStats *stats, CofOptions *options,
                                LearnFunction *call)
{
    if (!source->device)
        return call(stats, view, roi, options);
    options->context = device_borrow(source->device, options->problem);
    if (!options->context)
        return COF_ERR_UNSUPPORTED;
    CofStatus status = call(stats, view, roi, options);
    device_return(source->device, options->context, status, options->report);
    return status;
}

static int learn(const LearningSource *source, const CofImage *view, VipsImage *mask,
                 bool downscaled, CofStats *stats, const CofOptions *options, LearnFunction *call)
{
    const Pixels bytes = {.kind = COF_KIND_GREY, .sample = COF_SAMPLE_U8};
    CofImage mask_view;
    CofRoi roi = {.region = source->region, .downscaled = downscaled};
    if (mask) {
        mask_view = pixels_whole(&bytes, mask);
        roi.mask = &mask_view;
    }
    CofReport report = {.struct_size = sizeof report};
    CofProblem problem;
    CofOptions own = *options;
    own.report = &report;
    own.problem = &problem;
    ImageProgress progress;
    image_progress_begin(&progress, source->progress_image, &own);
    CofStatus status = call_on_device(source, view, &roi, stats, &own, call);
    image_progress_end(&progress);
    run_report_add(source->run, &report, 0);
    return status == COF_OK ? 0 : problem_fail(&source->argument, &problem);
}

static bool has_region(const LearningSource *source)
{
    return source->mask || source->region.width != 0 || source->region.height != 0;
}

static int learn_from_small(const LearningSource *source, CofStats *stats,
                            const CofOptions *options, LearnFunction *call)
{
    CofImage view;
    if (small_image_get(source->small, &source->pixels, source->progress_image, options->downscale,
                        &source->argument, &view) != 0)
        return -1;
    return learn(source, &view, NULL, true, stats, options, call);
}

static int read_and_learn(const LearningSource *source, CofStats *stats, const CofOptions *options,
                          LearnFunction *call)
{
    if (options->downscale > 1 && small_image_is_streamed(&source->pixels) && !has_region(source))
        return learn_from_small(source, stats, options, call);
    PixelMemory memory;
    bool read = pixel_memory_load(&memory, &source->pixels) == 0;
    VipsImage *mask = read && source->mask ? vips_image_copy_memory(source->mask) : NULL;
    read = read && (mask || !source->mask);
    int failed = read ? learn(source, &memory.view, mask, false, stats, options, call) : -1;
    pixel_memory_free(&memory);
    VIPS_UNREF(mask);
    return failed;
}

int whole_scan(const LearningSource *source, CofStats *stats, const CofOptions *options)
{
    return read_and_learn(source, stats, options, cof_stats_scan);
}

int whole_count(const LearningSource *source, CofStats *stats, const CofOptions *options)
{
    return read_and_learn(source, stats, options,
                          source->labels ? cof_stats_add_labels : cof_stats_add);
}
