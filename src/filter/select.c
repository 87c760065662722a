/* SPDX-License-Identifier: BSD-2-Clause */
/* From scribbles to a soft mask, and from a soft mask to a mask. */
#include "filter/select.h"

#include <assert.h>
#include <math.h>

#include "filter/mask_threshold.h"
#include "filter/passes.h"
#include "filter/tiles.h"
#include "image/box_downscale.h"
#include "image/image.h"
#include "image/mask_parts.h"
#include "image/upscale.h"
#include "image/roi.h"
#include "learn/label_map.h"
#include "learn/learn.h"
#include "options/options.h"

/* Scribbles are spread over images of at most this size. Larger ones are downscaled, so that a
 * scribble reaches equally far in all of them, and the mask is fitted to the image at the end. */
#define MAX_SPREAD_PIXELS 1e6

/* The window in which an upscaled mask is fitted to the image. */
#define FIT_WINDOW 15

size_t cofi_count_marked(const CofImage *mask)
{
    size_t n = 0;
    for (int y = 0; y < mask->height; y++)
        for (int x = 0; x < mask->width; x++)
            n += *cofi_pixel(mask, x, y) != 0;
    return n;
}

CofOptions cofi_spread_options(const CofOptions *options)
{
    CofOptions spread = *options;
    spread.method = COF_METHOD_EXACT;
    spread.iterations = options->spread_iterations;
    spread.filter_window = options->spread_window;
    spread.filter_sigma = cofi_box_sigma(options);
    cofi_options_only_smooth(&spread);
    return spread;
}

double cofi_spread_units(const CofOptions *options)
{
    CofOptions spread = cofi_spread_options(options);
    return cofi_passes_units(&spread, 1, spread.iterations);
}

/* Floats with one or two channels, at a place of the full image. */
static bool take_floats(CofiCall *call, const CofImage *image, CofRect place, int channels,
                        CofImage *floats)
{
    size_t pixel = (size_t)channels * sizeof(float), row = (size_t)place.width * pixel;
    *floats = (CofImage){.data = cofi_call_take_raw(call, (size_t)place.height, row),
                         .width = place.width,
                         .height = place.height,
                         .channels = channels,
                         .kind = COF_KIND_BANDS,
                         .sample = COF_SAMPLE_F32,
                         .row_stride = (ptrdiff_t)row,
                         .pixel_stride = (ptrdiff_t)pixel,
                         .channel_stride = sizeof(float),
                         .x = place.x,
                         .y = place.y,
                         .full_width = image->full_width,
                         .full_height = image->full_height,
                         .valid_stride = place.width};
    return floats->data;
}

/* Scribbles as 0 and 1. */
static void fill_marks(const CofiScribbles *scribbles, const CofImage *marks)
{
    float *mark = marks->data;
    for (int y = 0; y < marks->height; y++)
        for (int x = 0; x < marks->width; x++) {
            *mark++ = *cofi_pixel(&scribbles->foreground, x, y) != 0;
            if (scribbles->has_background)
                *mark++ = *cofi_pixel(&scribbles->background, x, y) != 0;
        }
}

/* The foreground, or its share of both. */
static void store_share(const CofImage *spread, const CofImage *soft)
{
    const float *value = spread->data;
    for (int y = 0; y < soft->height; y++)
        for (int x = 0; x < soft->width; x++, value += spread->channels) {
            float sum = spread->channels > 1 ? value[0] + value[1] : 1;
            float share = sum > 0 ? value[0] / sum : 0;
            cofi_store_row(soft, 0, x, y, 1, &share);
        }
}

CofStatus cofi_spread(CofiCall *call, const CofModel *model, const CofImage *image,
                      const CofiScribbles *scribbles, const CofImage *soft)
{
    CofiMark mark = cofi_call_mark(call);
    CofRect part = cofi_view_rect(soft);
    int channels = 1 + scribbles->has_background; /* both are spread with the same weights */
    CofImage marks, spread;
    if (!take_floats(call, image, cofi_view_rect(image), channels, &marks) ||
        !take_floats(call, image, part, channels, &spread))
        return COF_ERR_MEMORY;
    fill_marks(scribbles, &marks);
    CofOptions options = call->options;
    call->options = cofi_spread_options(&options);
    CofiFilterImages images = {.model = model, .guide = image, .in = &marks, .out = &spread};
    CofStatus status = cofi_filter_images(call, &images, part);
    call->options = options;
    if (status == COF_OK)
        store_share(&spread, soft);
    cofi_call_release(call, mark);
    return status;
}

/* Scribbles decide, whatever the soft mask says. */
static bool is_inside(const CofiScribbles *scribbles, int x, int y, bool otherwise)
{
    if (scribbles->has_background && *cofi_pixel(&scribbles->background, x, y) != 0)
        return false;
    return otherwise || *cofi_pixel(&scribbles->foreground, x, y) != 0;
}

static void write_mask(const CofiScribbles *scribbles, const CofImage *soft, double threshold,
                       const CofImage *mask)
{
    for (int y = 0; y < mask->height; y++)
        for (int x = 0; x < mask->width; x++) {
            float value;
            cofi_load_row(soft, 0, x, y, 1, &value);
            bool inside = is_inside(scribbles, x, y, (double)value >= threshold);
            *cofi_pixel(mask, x, y) = inside ? 255 : 0;
        }
}

CofStatus cofi_threshold_mask(CofiCall *call, const CofModel *model, const CofImage *image,
                              const CofiScribbles *scribbles, const CofImage *soft,
                              const CofImage *mask, double *threshold)
{
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = COF_OK;
    if (*threshold <= 0) {
        uint8_t *labels = NULL;
        status = cofi_labels_of_image(call, &model->palette, image, &labels);
        if (status == COF_OK)
            status =
                cofi_mask_threshold(model, soft, labels, cofi_count_marked(&scribbles->foreground),
                                    scribbles->has_background, threshold);
    }
    if (status == COF_OK)
        write_mask(scribbles, soft, *threshold, mask);
    cofi_call_release(call, mark);
    return status;
}

/* A model of the image with that window. */
static CofStatus learn(CofiCall *call, const CofImage *image, int window, CofModel **model)
{
    CofOptions options = call->options;
    call->options.window = window < COF_MAX_WINDOW ? window : COF_MAX_WINDOW;
    call->options.downscale = 1;
    call->options.palettes = 1;
    CofStatus status = cofi_learn_model(call, image, NULL, 1, model);
    call->options = options;
    return status;
}

/* Removes small holes and islands from a mask. */
static CofStatus clean_mask(CofiCall *call, const CofiScribbles *scribbles, const CofImage *mask)
{
    size_t width = (size_t)mask->width, height = (size_t)mask->height;
    size_t smallest = (size_t)(call->options.min_area * (double)(width * height));
    if (smallest < 2)
        return COF_OK;
    uint8_t *labels = cofi_call_take_raw(call, height, width);
    uint8_t *markers = cofi_call_take(call, height, width);
    if (!labels || !markers)
        return COF_ERR_MEMORY;
    for (int y = 0; y < mask->height; y++)
        for (int x = 0; x < mask->width; x++) {
            size_t i = (size_t)y * width + (size_t)x;
            labels[i] = *cofi_pixel(mask, x, y) ? 1 : 2;
            if (*cofi_pixel(&scribbles->foreground, x, y))
                markers[i] = 1;
            else if (scribbles->has_background && *cofi_pixel(&scribbles->background, x, y))
                markers[i] = 2;
        }
    CofStatus status =
        cofi_remove_small_parts(call, labels, markers, mask->width, mask->height, smallest);
    for (int y = 0; y < mask->height && status == COF_OK; y++)
        for (int x = 0; x < mask->width; x++)
            *cofi_pixel(mask, x, y) = labels[(size_t)y * width + (size_t)x] == 1 ? 255 : 0;
    return status;
}

static CofStatus select_at_one_scale(CofiCall *call, const CofImage *image,
                                     const CofiScribbles *scribbles, const CofImage *mask)
{
    CofModel *model = NULL;
    CofImage soft;
    CofiMark mark = cofi_call_mark(call);
    double threshold = call->options.threshold;
    CofStatus status = learn(call, image, call->options.spread_window, &model);
    if (status == COF_OK && !take_floats(call, image, cofi_view_rect(image), 1, &soft))
        status = COF_ERR_MEMORY;
    if (status == COF_OK) {
        soft.kind = COF_KIND_GREY;
        status = cofi_spread(call, model, image, scribbles, &soft);
    }
    CofImage draft = *mask; /* nothing is written to `mask` that may yet fail */
    if (status == COF_OK && call->options.min_area > 0)
        status = cofi_take_image(call, mask, mask->width, mask->height, &draft);
    if (status == COF_OK)
        status = cofi_threshold_mask(call, model, image, scribbles, &soft, &draft, &threshold);
    if (status == COF_OK)
        status = clean_mask(call, scribbles, &draft);
    for (int y = 0; y < mask->height && status == COF_OK && draft.data != mask->data; y++)
        cofi_copy_row(&draft, 0, y, mask, 0, y, 0, mask->width, NULL);
    cofi_model_free(&model);
    cofi_call_release(call, mark);
    return status;
}

/* One pass over the upscaled mask with the image as guide, then a threshold of one half. */
static CofStatus fit_mask(CofiCall *call, const CofImage *image, const CofiScribbles *scribbles,
                          const CofImage *soft, const CofImage *mask)
{
    CofModel *model = NULL;
    CofOptions options = call->options;
    CofStatus status = learn(call, image, FIT_WINDOW, &model);
    call->options.filter_window = FIT_WINDOW;
    call->options.filter_sigma = 0;
    call->options.iterations = 1;
    call->options.method = COF_METHOD_EXACT;
    cofi_options_only_smooth(&call->options);
    CofiFilterImages images = {.model = model, .guide = image, .in = soft, .out = mask};
    if (status == COF_OK)
        status = cofi_filter_images(call, &images, cofi_full_rect(image));
    call->options = options;
    cofi_model_free(&model);
    for (int y = 0; y < mask->height && status == COF_OK; y++)
        for (int x = 0; x < mask->width; x++) {
            unsigned char *pixel = cofi_pixel(mask, x, y);
            *pixel = is_inside(scribbles, x, y, *pixel >= 128) ? 255 : 0;
        }
    return status;
}

static CofStatus downscale_scribbles(CofiCall *call, const CofiScribbles *scribbles, int n,
                                     CofiScribbles *small)
{
    small->has_background = scribbles->has_background;
    CofStatus status = cofi_downscale_marks(call, &scribbles->foreground, n, &small->foreground);
    if (status == COF_OK && small->has_background)
        status = cofi_downscale_marks(call, &scribbles->background, n, &small->background);
    return status;
}

/* The factor at which an image is small enough. */
static int spread_downscale(const CofImage *image)
{
    double pixels = (double)image->width * image->height;
    return pixels > MAX_SPREAD_PIXELS ? (int)ceil(sqrt(pixels / MAX_SPREAD_PIXELS)) : 1;
}

CofStatus cofi_select(CofiCall *call, const CofImage *image, const CofiScribbles *scribbles,
                      const CofImage *mask)
{
    int n = spread_downscale(image);
    if (n == 1)
        return select_at_one_scale(call, image, scribbles, mask);
    CofImage small, small_mask, large;
    CofiScribbles small_scribbles;
    CofStatus status = cofi_downscale(call, image, n, &small);
    if (status == COF_OK)
        status = downscale_scribbles(call, scribbles, n, &small_scribbles);
    if (status == COF_OK)
        status = cofi_downscale_marks(call, &scribbles->foreground, n, &small_mask); /* its size */
    double unit_scale = call->unit_scale;
    call->unit_scale /= (double)n * n;
    if (status == COF_OK)
        status = select_at_one_scale(call, &small, &small_scribbles, &small_mask);
    call->unit_scale = unit_scale;
    if (status == COF_OK)
        status = cofi_upscale(call, &small_mask, n, mask, &large);
    return status == COF_OK ? fit_mask(call, image, scribbles, &large, mask) : status;
}

double cofi_select_units(const CofOptions *options, const CofImage *image)
{
    int n = spread_downscale(image);
    CofOptions one_scale = *options;
    one_scale.downscale = 1;
    one_scale.palettes = 1;
    cofi_options_only_smooth(&one_scale);
    double learning = cofi_learn_model_units(&one_scale, 1);
    double selecting = learning + cofi_spread_units(options) + (options->threshold <= 0);
    if (n == 1)
        return selecting;
    return 2 + selecting / ((double)n * n) + learning + cofi_passes_units(&one_scale, 1, 1);
}
