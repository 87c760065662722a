/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation cof: filters an image in memory. */
#include "vips_device.h"
#include "vips_nodata.h"
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
    PixelMemory in, guide;
    VipsImage *out, *mask;
    CofImage out_view, mask_view;
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
    if (pixel_memory_load(&w->in, &s->pixels) != 0)
        return -1;
    w->out = memory_like(w->in.pixels);
    if (!w->out || (s->guide_pixels.image && pixel_memory_load(&w->guide, &s->guide_pixels) != 0))
        return -1;
    w->out_view = pixels_whole(&s->pixels, w->out);
    return with_mask && mask ? open_mask(s, mask, w) : 0;
}

static void close_whole(Whole *w)
{
    pixel_memory_free(&w->in);
    pixel_memory_free(&w->guide);
    VIPS_UNREF(w->out);
    VIPS_UNREF(w->mask);
}

static CofStatus run_whole(VipsCofSmooth *s, const CofModel *model, const Whole *w,
                           const CofOptions *options)
{
    CofRoi roi = {.region = vips_cof_learning_region(&s->parent_instance),
                  .mask = w->mask ? &w->mask_view : NULL};
    if (!model)
        return cof_smooth_roi(&w->in.view, &roi, &w->out_view, options);
    if (s->labels)
        return cof_filter_labels(model, &w->guide.view, &w->in.view, &w->out_view, options);
    return cof_filter(model, w->guide.pixels ? &w->guide.view : NULL, &w->in.view, &w->out_view,
                      options);
}

static CofStatus run_with_progress(VipsCofSmooth *s, const CofModel *model, const Whole *w,
                                   CofOptions *options)
{
    ImageProgress progress;
    image_progress_begin(&progress, s->in, options);
    CofStatus status = run_whole(s, model, w, options);
    image_progress_end(&progress);
    return status;
}

/* With the device, if one is asked for. */
static CofStatus run_on_device(VipsCofSmooth *s, const CofModel *model, const Whole *w,
                               CofOptions *options)
{
    const char *device = s->parent_instance.device;
    if (!device)
        return run_with_progress(s, model, w, options);
    options->context = device_borrow(device, options->problem);
    if (!options->context)
        return COF_ERR_UNSUPPORTED;
    CofStatus status = run_with_progress(s, model, w, options);
    device_return(device, options->context, status, options->report);
    return status;
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
    CofStatus status = run_on_device(s, model, &w, &own);
    if (status == COF_OK) {
        VipsRect all = {0, 0, w.out->Xsize, w.out->Ysize};
        run_report_add(s->parent_instance.run, &report, (double)all.width * all.height);
        run_report_add_tile(s->parent_instance.run, nodata_count(&w.in.view, &all));
        *out = g_object_ref(w.out);
    }
    close_whole(&w);
    Argument argument = vips_cof_argument(&s->parent_instance, "in");
    return status == COF_OK ? 0 : problem_fail(&argument, &problem);
}
