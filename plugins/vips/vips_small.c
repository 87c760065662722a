/* SPDX-License-Identifier: BSD-2-Clause */
/* Downscales images that need not fit in memory, row by row of the result, on libvips' threads. */
#include "vips_small.h"

#include "vips_regions.h"

/* Shared by all threads. */
typedef struct Downscaling {
    const Pixels *in;
    int factor;
    const Argument *argument; /* for errors */
} Downscaling;

/* The state of one thread. */
typedef struct Downscaler {
    PixelRegion in;
    CofContext *context;
} Downscaler;

bool small_image_is_streamed(const Pixels *pixels)
{
    return pixels_take_less_in_parts(pixels->image) && !pixels->valid;
}

static int stop_downscaler(void *sequence, void *a, void *b)
{
    (void)a, (void)b;
    Downscaler *downscaler = sequence;
    pixel_region_free(&downscaler->in);
    cof_context_free(&downscaler->context);
    g_free(downscaler);
    return 0;
}

static void *start_downscaler(VipsImage *out, void *a, void *b)
{
    (void)out;
    const Downscaling *d = a;
    Downscaler *downscaler = g_new0(Downscaler, 1);
    downscaler->in = pixel_region_new(d->in);
    CofProblem problem;
    if (cof_context_new(&downscaler->context, 1, &problem) == COF_OK)
        return downscaler;
    problem_fail(d->argument, &problem);
    stop_downscaler(downscaler, a, b);
    return NULL;
}

static int downscale_rows(VipsRegion *rows, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)b, (void)stop;
    const Downscaling *d = a;
    Downscaler *downscaler = sequence;
    VipsImage *image = d->in->image;
    const VipsRect *r = &rows->valid;
    VipsRect covered = {r->left * d->factor, r->top * d->factor, r->width * d->factor,
                        r->height * d->factor};
    VipsRect all = {0, 0, image->Xsize, image->Ysize};
    vips_rect_intersectrect(&covered, &all, &covered);
    CofImage in, out = pixels_view(d->in, rows);
    if (pixel_region_prepare(&downscaler->in, &covered, &in) != 0)
        return -1;
    CofProblem problem;
    CofOptions options;
    cof_options_init(&options);
    options.threads = 1;
    options.context = downscaler->context;
    options.problem = &problem;
    CofStatus status = cof_downscale(&in, d->factor, &out, NULL, &options);
    return status == COF_OK ? 0 : problem_fail(d->argument, &problem);
}

static VipsImage *downscale(const Downscaling *d)
{
    VipsImage *image = d->in->image, *rows = vips_image_new(), *small = NULL;
    if (vips_image_pipelinev(rows, VIPS_DEMAND_STYLE_THINSTRIP, image, NULL) == 0) {
        rows->Xsize = (image->Xsize - 1) / d->factor + 1;
        rows->Ysize = (image->Ysize - 1) / d->factor + 1;
        if (vips_image_generate(rows, start_downscaler, downscale_rows, stop_downscaler, (void *)d,
                                NULL) == 0)
            small = vips_image_copy_memory(rows);
    }
    g_object_unref(rows);
    return small;
}

int small_image_get(SmallImage *small, const Pixels *pixels, VipsImage *of, int factor,
                    const Argument *argument, VipsImage **image)
{
    if (!small->image || small->of != of || small->factor != factor) {
        Downscaling downscaling = {.in = pixels, .factor = factor, .argument = argument};
        small_image_clear(small);
        *small = (SmallImage){.image = downscale(&downscaling), .of = of, .factor = factor};
    }
    *image = small->image;
    return small->image ? 0 : -1;
}

void small_image_clear(SmallImage *small)
{
    g_clear_object(&small->image);
}
