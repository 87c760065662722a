/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns statistics from images: scans them, fits a palette and counts pairs. */
#include "vips_learning.h"
#include "vips_model_file.h"
#include "vips_whole.h"

static int check_mask(const VipsCofLearning *l, const LearningImages *images,
                      const VipsImage *image, const Argument *argument)
{
    Argument mask = {.operation = argument->operation, .name = "mask"};
    if (l->mask && images->n > 1)
        return problem_refuse(&mask, COF_ERR_ARGUMENT, "a mask needs a single image to learn from");
    if (l->mask && (l->mask->Xsize != image->Xsize || l->mask->Ysize != image->Ysize))
        return problem_refuse(&mask, COF_ERR_MISMATCH, "the mask differs in size from the image");
    return 0;
}

int learning_source_open(VipsCofLearning *l, const LearningImages *images, int i,
                         LearningSource *source)
{
    VipsImage *image = images->images[i];
    *source = (LearningSource){.progress_image = image,
                               .region = vips_cof_learning_region(l),
                               .labels = images->k > 0,
                               .small = &l->small,
                               .device = l->device,
                               .run = l->run,
                               .argument = vips_cof_argument(l, images->argument)};
    source->argument.index = i;
    if (check_mask(l, images, image, &source->argument) != 0 ||
        pixels_open(&source->pixels, image, images->kind, &source->argument) != 0)
        return -1;
    int failed = 0;
    if (source->labels && (source->pixels.sample != COF_SAMPLE_U8 || image->Bands != 1))
        failed = problem_refuse(&source->argument, COF_ERR_MISMATCH,
                                "labels must have 8 bits and one band");
    if (source->labels)
        source->pixels.kind = COF_KIND_GREY;
    if (failed || (l->mask && pixels_mask(l->mask, &source->mask) != 0)) {
        pixels_close(&source->pixels);
        return -1;
    }
    return 0;
}

void learning_source_close(LearningSource *source)
{
    pixels_close(&source->pixels);
    VIPS_UNREF(source->mask);
}

typedef int StreamFunction(const LearningSource *source, CofStats *stats,
                           const CofOptions *options);

static int learn_each_image(VipsCofLearning *l, const LearningImages *images, CofStats *stats,
                            const CofOptions *options, StreamFunction *stream)
{
    int failed = 0;
    for (int i = 0; i < images->n && !failed; i++) {
        LearningSource source;
        failed = learning_source_open(l, images, i, &source);
        if (!failed) {
            failed = stream(&source, stats, options);
            learning_source_close(&source);
        }
    }
    return failed;
}

static int fit_palette(VipsCofLearning *l, const LearningImages *images, CofStats *stats,
                       const CofOptions *options)
{
    CofReport report = {.struct_size = sizeof report};
    CofProblem problem;
    CofOptions own = *options;
    own.report = &report;
    own.problem = &problem;
    Argument argument = vips_cof_argument(l, images->argument);
    if (l->palette_from && images->k == 0)
        return vips_model_file_palette(l->palette_from, argument.operation, stats);
    CofStatus status = images->k > 0 ? cof_stats_set_labels(stats, images->k, &problem)
                                     : cof_stats_fit_palette(stats, &own);
    run_report_add(l->run, &report, 0);
    return status == COF_OK ? 0 : problem_fail(&argument, &problem);
}

int vips_cof_learning_palette(VipsCofLearning *l, const LearningImages *images,
                              const CofOptions *options, CofStats **stats)
{
    CofProblem problem;
    CofOptions own = *options;
    own.problem = &problem;
    Argument argument = vips_cof_argument(l, images->argument);
    if (images->n == 0)
        return problem_refuse(&argument, COF_ERR_EMPTY, "there is no image to learn from");
    if (images->k > 0)
        own.palettes = 1; /* labels belong to one */
    if (cof_stats_new(stats, &own) != COF_OK)
        return problem_fail(&argument, &problem);
    StreamFunction *scan = options->downscale > 1 ? whole_scan : stream_scan;
    if (learn_each_image(l, images, *stats, options, scan) == 0 &&
        fit_palette(l, images, *stats, options) == 0)
        return 0;
    cof_stats_free(stats);
    return -1;
}

int vips_cof_learning_stats(VipsCofLearning *l, const LearningImages *images,
                            const CofOptions *options, CofStats **stats)
{
    /* A device counts one image at a time, not strips of several threads. */
    StreamFunction *count = options->downscale > 1 || l->device ? whole_count : stream_count;
    if (vips_cof_learning_palette(l, images, options, stats) != 0)
        return -1;
    if (learn_each_image(l, images, *stats, options, count) == 0)
        return 0;
    cof_stats_free(stats);
    return -1;
}
