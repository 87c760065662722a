/* SPDX-License-Identifier: BSD-2-Clause */
/* Models of the foreground and of the background, from a mask. */
#include "cof/cof.h"

#include "api/checks.h"
#include "base/memory.h"
#include "image/image.h"

/* The share of one call in the progress of several. */
typedef struct Share {
    int (*progress)(void *user, double done);
    void *user;
    int before, all;
} Share;

static int share_progress(void *user, double done)
{
    const Share *share = user;
    return share->progress(share->user, (share->before + done) / share->all);
}

/* The options of the next call. */
static CofOptions shared(const CofOptions *options, Share *share)
{
    CofOptions own = *options;
    share->before++;
    if (own.progress) {
        own.progress = share_progress;
        own.user = share;
    }
    return own;
}

/* The palette that both models share. */
static CofStatus settle_palette(const CofImage *image, const CofOptions *options, Share *share,
                                CofStats **stats)
{
    CofOptions own = shared(options, share);
    CofStatus status = cof_stats_new(stats, &own);
    if (status == COF_OK)
        status = cof_stats_scan(*stats, image, NULL, &own);
    own = shared(options, share);
    return status == COF_OK ? cof_stats_settle(*stats, &own) : status;
}

static CofStatus learn_inside(CofModel **model, const CofStats *like, const CofImage *image,
                              const CofImage *mask, const CofOptions *options, Share *share)
{
    CofStats *stats = NULL;
    CofWhere roi = {.mask = mask};
    CofOptions own = shared(options, share);
    CofStatus status = cof_stats_new_like(&stats, like);
    if (status == COF_OK)
        status = cof_stats_add(stats, image, &roi, &own);
    own = shared(options, share);
    if (status == COF_OK)
        status = cof_model_new(model, stats, &own);
    cof_stats_free(&stats);
    return status;
}

/* The pixels farther than `gap` from the mask. */
static CofStatus invert_mask(const CofImage *mask, double gap, const CofImage *rest,
                             const CofOptions *options)
{
    CofStatus status = cof_mask_grow(mask, rest, gap, options);
    unsigned char *bytes = rest->data;
    size_t n = (size_t)rest->width * (size_t)rest->height;
    for (size_t i = 0; i < n && status == COF_OK; i++)
        bytes[i] = bytes[i] ? 0 : 255;
    return status;
}

/* Dilate, scan, fit the palette; and for both models count and normalise. */
#define PAIR_CALLS 7

CofStatus cof_model_new_pair(CofModel **foreground, CofModel **background, const CofImage *image,
                             const CofImage *mask, double gap, const CofOptions *options)
{
    CofiCall call;
    CofStatus status =
        cofi_enter(&call, options, foreground && background && image && mask && gap >= 0,
                   "something is NULL, or the gap is below 0");
    if (status != COF_OK)
        return status;
    CofOptions complete = call.options;
    CofImage view, mask_view;
    status = cofi_check_image(&call, image, &view);
    if (status == COF_OK)
        status = cofi_check_bytes(&call, mask, &view, &mask_view);
    status = cofi_end_checks(&call, status);
    if (status != COF_OK)
        return status;
    CofStats *stats = NULL;
    CofModel *inside = NULL, *outside = NULL;
    CofImage rest = {.width = view.width, .height = view.height, .channels = 1};
    rest.data = cofi_malloc((size_t)view.height, (size_t)view.width);
    Share share = {complete.progress, complete.user, -1, PAIR_CALLS};
    CofOptions own = shared(&complete, &share);
    status = rest.data ? invert_mask(mask, gap, &rest, &own) : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = settle_palette(image, &complete, &share, &stats);
    if (status == COF_OK)
        status = learn_inside(&inside, stats, image, mask, &complete, &share);
    if (status == COF_OK)
        status = learn_inside(&outside, stats, image, &rest, &complete, &share);
    cofi_free(rest.data);
    cof_stats_free(&stats);
    if (status != COF_OK) {
        cof_model_free(&inside);
        cof_model_free(&outside);
        return status;
    }
    *foreground = inside;
    *background = outside;
    return COF_OK;
}
