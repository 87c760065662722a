/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation cof: filters an image in memory. */
#include "vips_progress.h"
#include "vips_smooth.h"

/* A new image in memory with the size, format and metadata of another. */
static VipsImage *memory_like(VipsImage *image)
{
    VipsImage *copy = vips_image_new_memory();
    if (vips_image_pipelinev(copy, VIPS_DEMAND_STYLE_ANY, image, NULL) == 0 &&
        vips_image_write_prepare(copy) == 0)
        return copy;
    g_object_unref(copy);
    return NULL;
}

/* The images of a call that filters the whole input. */
typedef struct Whole {
    VipsImage *in, *out, *guide, *mask;
    CofImage in_view, out_view, guide_view, mask_view;
} Whole;

static int open_mask(const VipsCofSmooth *s, VipsImage *mask, Whole *w)
{
    const Pixels bytes = {.kind = COF_KIND_GREY, .sample = COF_SAMPLE_U8};
    VipsImage *marks = NULL;
    if (smooth_differs_in_size(s, mask))
        return smooth_refuse("mask", COF_ERR_MISMATCH, "the mask differs in size from the image");
    if (pixels_mask(mask, &marks) != 0)
        return -1;
    w->mask = vips_image_copy_memory(marks);
    g_object_unref(marks);
    if (!w->mask)
        return -1;
    w->mask_view = pixels_whole(&bytes, w->mask);
    return 0;
}

static int open_whole(VipsCofSmooth *s, bool with_mask, Whole *w)
{
    VipsImage *mask = s->parent_instance.mask;
    w->in = vips_image_copy_memory(s->pixels.image);
    w->out = w->in ? memory_like(w->in) : NULL;
    if (!w->out)
        return -1;
    w->in_view = pixels_whole(&s->pixels, w->in);
    w->out_view = pixels_whole(&s->pixels, w->out);
    if (s->guide_pixels.image) {
        w->guide = vips_image_copy_memory(s->guide_pixels.image);
        if (!w->guide)
            return -1;
        w->guide_view = pixels_whole(&s->guide_pixels, w->guide);
    }
    return with_mask && mask ? open_mask(s, mask, w) : 0;
}

static void close_whole(Whole *w)
{
    VIPS_UNREF(w->in);
    VIPS_UNREF(w->out);
    VIPS_UNREF(w->guide);
    VIPS_UNREF(w->mask);
}

static CofStatus run_whole(VipsCofSmooth *s, const CofModel *model, const Whole *w,
                           const CofOptions *options)
{
    CofRoi roi = {.region = vips_cof_learning_region(&s->parent_instance),
                  .mask = w->mask ? &w->mask_view : NULL};
    if (!model)
        return cof_smooth_roi(&w->in_view, &roi, &w->out_view, options);
    if (s->labels)
        return cof_filter_labels(model, &w->guide_view, &w->in_view, &w->out_view, options);
    return cof_filter(model, w->guide ? &w->guide_view : NULL, &w->in_view, &w->out_view, options);
}

int smooth_whole(VipsCofSmooth *s, const CofModel *model, const CofOptions *options,
                 VipsImage **out)
{
    Whole w = {0};
    if (open_whole(s, !model, &w) != 0) {
        close_whole(&w);
        return -1;
    }
    CofReport report = {.struct_size = sizeof report};
    CofProblem problem;
    CofOptions own = *options;
    own.report = &report;
    own.problem = &problem;
    ImageProgress progress;
    image_progress_begin(&progress, s->in, &own);
    CofStatus status = run_whole(s, model, &w, &own);
    image_progress_end(&progress);
    if (status == COF_OK) {
        run_report_add(s->parent_instance.run, &report, (double)w.in->Xsize * w.in->Ysize);
        *out = g_object_ref(w.out);
    }
    close_whole(&w);
    Argument argument = vips_cof_argument(&s->parent_instance, "in");
    return status == COF_OK ? 0 : problem_fail(&argument, &problem);
}
