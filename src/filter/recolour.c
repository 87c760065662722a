/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives an object another colour: softens the border of its mask with the image as guide, tints the
 * image in proportion to the object's chroma, and blends both. */
#include "filter/recolour.h"

#include "filter/passes.h"
#include "filter/scales.h"
#include "image/blend.h"
#include "image/image.h"
#include "learn/learn.h"
#include "options/options.h"

/* The filter that softens the border of a mask. */
#define WINDOW 7
#define ITERATIONS 2

static CofOptions softening_options(const CofOptions *options)
{
    CofOptions softening = *options;
    softening.window = softening.filter_window = WINDOW;
    softening.iterations = ITERATIONS;
    cofi_options_only_smooth(&softening);
    return softening;
}

/* A packed image like `image`, of other samples and channels. */
static CofStatus take_image(CofiCall *call, const CofImage *image, CofKind kind, CofSample sample,
                            int channels, CofImage *taken)
{
    size_t size = cofi_sample_size(sample), pixel = size * (size_t)channels, row;
    *taken = *image;
    taken->kind = kind;
    taken->sample = sample;
    taken->channels = channels;
    taken->data = cofi_mul((size_t)image->width, pixel, &row)
                      ? cofi_call_take_raw(call, (size_t)image->height, row)
                      : NULL;
    taken->channel_stride = (ptrdiff_t)size;
    taken->pixel_stride = (ptrdiff_t)pixel;
    taken->row_stride = (ptrdiff_t)row;
    return taken->data ? COF_OK : COF_ERR_MEMORY;
}

/* The mask as 0 and 1. */
static CofStatus take_matte(CofiCall *call, const CofImage *mask, CofImage *matte)
{
    CofStatus status = take_image(call, mask, COF_KIND_GREY, COF_SAMPLE_F32, 1, matte);
    matte->valid = NULL;
    float *value = matte->data;
    for (int y = 0; y < mask->height && status == COF_OK; y++)
        for (int x = 0; x < mask->width; x++)
            *value++ = *cofi_pixel(mask, x, y) != 0;
    return status;
}

static CofStatus filter_matte(CofiCall *call, const CofImage *image, const CofImage *matte)
{
    CofModel *model = NULL;
    CofStatus status = cofi_learn_model(call, image, NULL, 1, &model);
    if (status != COF_OK)
        return status;
    CofiFilterImages images = {.model = model, .guide = image, .in = matte, .out = matte};
    status = cofi_filter_refined(call, &images, cofi_full_rect(matte), NULL);
    cofi_model_free(&model);
    return status;
}

static CofStatus soften(CofiCall *call, const CofImage *image, const CofImage *mask,
                        CofImage *matte)
{
    CofOptions options = call->options;
    CofStatus status = take_matte(call, mask, matte);
    call->options = softening_options(&options);
    if (status == COF_OK)
        status = filter_matte(call, image, matte);
    call->options = options;
    return status;
}

static void store_matte(const CofImage *from, const CofImage *to)
{
    for (int y = 0; y < from->height; y++)
        cofi_copy_row(from, 0, y, to, 0, y, 0, from->width, NULL);
}

CofStatus cofi_recolour(CofiCall *call, const CofImage *in, const CofImage *mask,
                        const double colour[3], const CofImage *out, const CofImage *matte)
{
    CofImage soft, painted;
    double chroma = 0;
    CofStatus status = cofi_mean_chroma(call, in, mask, &chroma);
    if (status == COF_OK)
        status = soften(call, in, mask, &soft);
    if (status == COF_OK)
        status = take_image(call, in, in->kind, in->sample, in->channels, &painted);
    if (status == COF_OK)
        status = cofi_tint(call, in, colour, chroma, &painted);
    if (status == COF_OK)
        status = cofi_blend(call, &soft, &painted, in, out);
    if (status == COF_OK && matte)
        store_matte(&soft, matte);
    return status;
}

double cofi_recolour_units(const CofOptions *options)
{
    CofOptions softening = softening_options(options);
    double painting = 3; /* chroma, tint and blend */
    return cofi_learn_model_units(&softening, 1) +
           cofi_filter_units(&softening, softening.palettes, softening.downscale, true) + painting;
}
