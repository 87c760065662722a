/* SPDX-License-Identifier: BSD-2-Clause */
/* From scribbles to a soft mask, and from a soft mask to a mask. */
#include "cof/cof.h"

#include "api/checks.h"
#include "base/memory.h"
#include "filter/mask_threshold.h"
#include "image/image.h"
#include "options/options.h"

/* The checked arguments of cof_select(). */
typedef struct Selection {
    const CofModel *model;
    CofImage image, soft;
    CofImage scribbles[2]; /* foreground, background */
    bool has_background;
    CofRect part;
} Selection;

static CofStatus check_soft(CofiCall *call, const CofImage *soft, CofImage *complete)
{
    CofStatus status = cofi_check_image(call, soft, complete);
    if (status == COF_OK && (complete->kind != COF_GREY || complete->sample != COF_F32))
        status = cofi_mismatch(call, "the soft mask must be grey and of floats");
    return status;
}

static CofStatus check_scribbles(CofiCall *call, Selection *s, const CofImage *foreground,
                                 const CofImage *background)
{
    CofStatus status = cofi_check_bytes(call, foreground, &s->image, &s->scribbles[0]);
    if (status == COF_OK && background)
        status = cofi_check_bytes(call, background, &s->image, &s->scribbles[1]);
    s->has_background = background != NULL;
    return status;
}

static size_t count_marked(const CofImage *bytes)
{
    size_t n = 0;
    for (int y = 0; y < bytes->height; y++)
        for (int x = 0; x < bytes->width; x++)
            n += *cofi_pixel(bytes, x, y) != 0;
    return n;
}

/* The scribbles of a part may be empty, since others may lie elsewhere in the image. */
static CofStatus check_marked(CofiCall *call, const Selection *s)
{
    for (int i = 0; i <= s->has_background; i++)
        if (cofi_rect_holds(cofi_view_rect(&s->image), cofi_full_rect(&s->image)) &&
            count_marked(&s->scribbles[i]) == 0)
            return cofi_call_fail(call, COF_ERR_EMPTY, "nothing is scribbled");
    return COF_OK;
}

/* An image of floats at `place`, with a channel for each kind of scribble; NULL without memory. */
static float *floats_new(const Selection *s, CofRect place, CofImage *floats)
{
    int channels = 1 + s->has_background;
    size_t row = (size_t)place.width * (size_t)channels * sizeof(float);
    *floats = (CofImage){.data = cofi_malloc((size_t)place.height, row),
                         .width = place.width,
                         .height = place.height,
                         .channels = channels,
                         .kind = COF_BANDS,
                         .sample = COF_F32,
                         .x = place.x,
                         .y = place.y,
                         .full_width = s->image.full_width,
                         .full_height = s->image.full_height};
    return floats->data;
}

/* 1 where there is a scribble, else 0. */
static void fill_marks(const Selection *s, float *marks)
{
    for (int y = 0; y < s->image.height; y++)
        for (int x = 0; x < s->image.width; x++)
            for (int i = 0; i <= s->has_background; i++)
                *marks++ = *cofi_pixel(&s->scribbles[i], x, y) != 0;
}

/* Stores the spread of the foreground, or its share in the sum of both. */
static void join(const Selection *s, const float *spread)
{
    int x = s->part.x - s->soft.x, y = s->part.y - s->soft.y;
    for (int row = 0; row < s->part.height; row++)
        for (int i = 0; i < s->part.width; i++, spread += 1 + s->has_background) {
            float sum = s->has_background ? spread[0] + spread[1] : 1;
            float share = sum > 0 ? spread[0] / sum : 0;
            cofi_store_row(&s->soft, 0, x + i, y + row, 1, &share);
        }
}

/* Filters both scribbles as channels of one image, since they share the weights. */
static CofStatus select_checked(const Selection *s, const CofOptions *options)
{
    CofImage marks, spread;
    CofOptions own = *options;
    own.method = COF_METHOD_EXACT;
    own.filter_sigma = cofi_box_sigma(options);
    float *from = floats_new(s, cofi_view_rect(&s->image), &marks);
    float *to = floats_new(s, s->part, &spread);
    CofStatus status = from && to ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK) {
        fill_marks(s, from);
        status = cof_filter_part(s->model, &s->image, &marks, &spread, s->part, &own);
    }
    if (status == COF_OK)
        join(s, to);
    cofi_free(from);
    cofi_free(to);
    return status;
}

static CofStatus check_selection(CofiCall *call, Selection *s, const CofImage *image,
                                 const CofImage *foreground, const CofImage *background,
                                 const CofImage *soft)
{
    CofStatus status = cofi_check_image(call, image, &s->image);
    if (status == COF_OK)
        status = check_scribbles(call, s, foreground, background);
    if (status == COF_OK)
        status = check_soft(call, soft, &s->soft);
    if (status == COF_OK)
        status = check_marked(call, s);
    if (status == COF_OK && call->options.repeat != COF_REPEAT_FROZEN)
        status = cofi_call_fail(call, COF_ERR_OPTION, "scribbles need labels that are frozen");
    if (status == COF_OK)
        status = cofi_check_coarse(call, "coarse is not for scribbles");
    return status;
}

/* `part` is NULL for the whole image. */
static CofStatus select_call(const CofModel *model, const CofImage *image,
                             const CofImage *foreground, const CofImage *background,
                             const CofImage *soft, const CofRect *part, const CofOptions *options)
{
    CofiCall call;
    Selection s = {.model = model};
    CofStatus status =
        cofi_enter(&call, options, model && foreground, "the model or the scribble is NULL");
    if (status != COF_OK)
        return status;
    CofOptions complete = call.options;
    status = check_selection(&call, &s, image, foreground, background, soft);
    if (status == COF_OK) {
        s.part = part ? *part : cofi_full_rect(&s.image);
        if (!cofi_rect_holds(cofi_view_rect(&s.soft), s.part) || cofi_rect_empty(s.part))
            status = cofi_mismatch(&call, "the soft mask does not hold the part");
    }
    status = cofi_end_checks(&call, status);
    return status == COF_OK ? select_checked(&s, &complete) : status;
}

CofStatus cof_select(const CofModel *model, const CofImage *image, const CofImage *foreground,
                     const CofImage *background, const CofImage *soft, const CofOptions *options)
{
    return select_call(model, image, foreground, background, soft, NULL, options);
}

CofStatus cof_select_part(const CofModel *model, const CofImage *image, const CofImage *foreground,
                          const CofImage *background, const CofImage *soft, CofRect part,
                          const CofOptions *options)
{
    return select_call(model, image, foreground, background, soft, &part, options);
}

static CofStatus find_threshold(const Selection *s, const CofOptions *options, double *threshold)
{
    int width = s->image.width, height = s->image.height;
    uint8_t *labels = cofi_malloc((size_t)height, (size_t)width);
    CofImage to = {.data = labels, .width = width, .height = height, .channels = 1};
    CofStatus status = labels ? cof_model_label(s->model, &s->image, &to, options) : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_mask_threshold(s->model, &s->soft, labels, count_marked(&s->scribbles[0]),
                                     s->has_background, threshold);
    cofi_free(labels);
    return status;
}

static void write_mask(const Selection *s, double threshold, const CofImage *mask)
{
    for (int y = 0; y < s->image.height; y++)
        for (int x = 0; x < s->image.width; x++) {
            float value;
            cofi_load_row(&s->soft, 0, x, y, 1, &value);
            bool inside = (double)value >= threshold || *cofi_pixel(&s->scribbles[0], x, y) != 0;
            if (s->has_background && *cofi_pixel(&s->scribbles[1], x, y) != 0)
                inside = false;
            *cofi_pixel(mask, x, y) = inside ? 255 : 0;
        }
}

CofStatus cof_select_mask(const CofModel *model, const CofImage *image, const CofImage *foreground,
                          const CofImage *background, const CofImage *soft, double *threshold,
                          const CofImage *mask, const CofOptions *options)
{
    CofiCall call;
    Selection s = {.model = model};
    CofImage mask_view;
    CofStatus status =
        cofi_enter(&call, options,
                   model && foreground && threshold && *threshold >= 0 && *threshold <= 1 && mask,
                   "something is NULL, or the threshold is not 0 to 1");
    if (status != COF_OK)
        return status;
    CofOptions complete = call.options;
    status = check_selection(&call, &s, image, foreground, background, soft);
    if (status == COF_OK)
        status = cofi_check_bytes(&call, mask, &s.image, &mask_view);
    if (status == COF_OK && (s.soft.width != s.image.width || s.soft.height != s.image.height))
        status = cofi_mismatch(&call, "the soft mask differs in size from the image");
    status = cofi_end_checks(&call, status);
    double found = *threshold;
    if (status == COF_OK && found <= 0)
        status = find_threshold(&s, &complete, &found);
    if (status != COF_OK)
        return status;
    *threshold = found;
    write_mask(&s, found, &mask_view);
    return COF_OK;
}
