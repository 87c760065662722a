/* SPDX-License-Identifier: BSD-2-Clause */
/* Downscales images that need not fit in memory, row by row of the result, on libvips' threads. */
#include "vips_small.h"

#include <string.h>

#include "vips_regions.h"

/* Shared by all threads. */
typedef struct Downscaling {
    const Pixels *in;
    int factor;
    uint8_t *valid;           /* which pixels of the result hold data; NULL: all */
    const Argument *argument; /* for errors */
} Downscaling;

/* The state of one thread. */
typedef struct Downscaler {
    PixelRegion in;
    CofContext *context;
} Downscaler;

bool small_image_is_streamed(const Pixels *pixels)
{
    return pixels_take_less_in_parts(pixels->image);
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

static int small_side(int side, int factor)
{
    return (side - 1) / factor + 1;
}

/* Stores which pixels of a rectangle of the result hold data. */
static void store_valid(const Downscaling *d, const VipsRect *r, const uint8_t *valid)
{
    size_t width = (size_t)small_side(d->in->image->Xsize, d->factor);
    for (int y = 0; y < r->height; y++)
        memcpy(d->valid + (size_t)(r->top + y) * width + r->left, valid + (size_t)y * r->width,
               (size_t)r->width);
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
    uint8_t *valid = d->valid ? g_malloc((gsize)r->width * (gsize)r->height) : NULL;
    CofStatus status = cof_downscale(&in, d->factor, &out, valid, &options);
    if (valid && status == COF_OK)
        store_valid(d, r, valid);
    g_free(valid);
    return status == COF_OK ? 0 : problem_fail(d->argument, &problem);
}

static VipsImage *downscale(const Downscaling *d)
{
    VipsImage *image = d->in->image, *rows = vips_image_new(), *small = NULL;
    if (vips_image_pipelinev(rows, VIPS_DEMAND_STYLE_THINSTRIP, image, NULL) == 0) {
        rows->Xsize = small_side(image->Xsize, d->factor);
        rows->Ysize = small_side(image->Ysize, d->factor);
        if (vips_image_generate(rows, start_downscaler, downscale_rows, stop_downscaler, (void *)d,
                                NULL) == 0)
            small = vips_image_copy_memory(rows);
    }
    g_object_unref(rows);
    return small;
}

static int make(SmallImage *small, const Pixels *pixels, int factor, const Argument *argument)
{
    Downscaling downscaling = {.in = pixels, .factor = factor, .argument = argument};
    size_t width = (size_t)small_side(pixels->image->Xsize, factor);
    size_t height = (size_t)small_side(pixels->image->Ysize, factor);
    if (pixels->valid) {
        small->valid = g_try_malloc(width * height);
        if (!small->valid) {
            vips_error("cof", "%s", "not enough memory");
            return -1;
        }
    }
    downscaling.valid = small->valid;
    small->image = downscale(&downscaling);
    return small->image ? 0 : -1;
}

int small_image_get(SmallImage *small, const Pixels *pixels, VipsImage *of, int factor,
                    const Argument *argument, CofImage *view)
{
    if (!small->image || small->of != of || small->factor != factor) {
        small_image_clear(small);
        *small = (SmallImage){.of = of, .factor = factor};
        if (make(small, pixels, factor, argument) != 0) {
            small_image_clear(small);
            return -1;
        }
    }
    *view = pixels_whole(pixels, small->image);
    view->valid = small->valid;
    view->valid_stride = small->valid ? small->image->Xsize : 0;
    return 0;
}

void small_image_clear(SmallImage *small)
{
    g_clear_object(&small->image);
    g_free(small->valid);
    small->valid = NULL;
}
