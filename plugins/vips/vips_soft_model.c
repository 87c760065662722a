/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns a model with exact soft assignment of each pixel, from images in memory. */
#include "vips_learning.h"

/* All images in memory, with their views for libcof. */
typedef struct LoadedImages {
    int n;
    LearningSource *sources;
    PixelMemory *memory;
    VipsImage **masks;
    CofImage *views, *mask_views;
    CofRoi *rois;
} LoadedImages;

static void free_loaded(LoadedImages *loaded)
{
    for (int i = 0; i < loaded->n; i++) {
        learning_source_close(&loaded->sources[i]);
        pixel_memory_free(&loaded->memory[i]);
        VIPS_UNREF(loaded->masks[i]);
    }
    g_free(loaded->sources);
    g_free(loaded->memory);
    g_free(loaded->masks);
    g_free(loaded->views);
    g_free(loaded->mask_views);
    g_free(loaded->rois);
}

/* Loads image i, whose source is open. */
static int load_image(LoadedImages *loaded, int i)
{
    const Pixels bytes = {.kind = COF_KIND_GREY, .sample = COF_SAMPLE_U8};
    const LearningSource *source = &loaded->sources[i];
    if (pixel_memory_load(&loaded->memory[i], &source->pixels) != 0)
        return -1;
    loaded->masks[i] = source->mask ? vips_image_copy_memory(source->mask) : NULL;
    if (source->mask && !loaded->masks[i])
        return -1;
    loaded->views[i] = loaded->memory[i].view;
    loaded->rois[i].region = source->region;
    if (loaded->masks[i]) {
        loaded->mask_views[i] = pixels_whole(&bytes, loaded->masks[i]);
        loaded->rois[i].mask = &loaded->mask_views[i];
    }
    return 0;
}

static int load_images(VipsCofLearning *l, const LearningImages *images, LoadedImages *loaded)
{
    gsize n = (gsize)images->n;
    *loaded = (LoadedImages){.sources = g_new0(LearningSource, n),
                             .memory = g_new0(PixelMemory, n),
                             .masks = g_new0(VipsImage *, n),
                             .views = g_new0(CofImage, n),
                             .mask_views = g_new0(CofImage, n),
                             .rois = g_new0(CofRoi, n)};
    int failed = 0;
    for (int i = 0; i < images->n && !failed; i++) {
        failed = learning_source_open(l, images, i, &loaded->sources[i]);
        if (!failed) {
            loaded->n++;
            failed = load_image(loaded, i);
        }
    }
    return failed;
}

int vips_cof_learning_soft_model(VipsCofLearning *l, const LearningImages *images,
                                 const CofOptions *options, CofModel **model)
{
    LoadedImages loaded;
    CofStats *palette = NULL;
    CofReport report = {.struct_size = sizeof report};
    CofProblem problem;
    CofOptions own = *options;
    own.report = &report;
    own.problem = &problem;
    Argument argument = vips_cof_argument(l, images->argument);
    int failed =
        load_images(l, images, &loaded) || vips_cof_learning_palette(l, images, options, &palette);
    if (!failed) {
        CofStatus status =
            cof_model_new_soft(model, palette, loaded.views, loaded.rois, images->n, &own);
        run_report_add(l->run, &report, 0);
        failed = status == COF_OK ? 0 : problem_fail(&argument, &problem);
    }
    cof_stats_free(&palette);
    free_loaded(&loaded);
    return failed ? -1 : 0;
}
