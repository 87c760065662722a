/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks that follow an object through a video. Preparing a frame takes most of the time and needs
 * no other frame, so that several threads do it at once; carrying the mask on is done in the order
 * of frames. */
#include "video/mask_tracker.h"

#include <string.h>

#include "colour_histogram.h"

/* A cut: more than this share of the pixels has changed its colour. */
#define MAX_DIFFERENCE 0.5

typedef struct GivenMask {
    int64_t frame;
    uint8_t *bytes;
} GivenMask;

struct MaskTracker {
    const VideoFile *video;
    size_t pixels;
    GArray *given;
    GMutex lock;
    GCond done;
    int64_t frames_done;
    bool tracking;
    uint8_t *mask; /* of the last frame, if tracking */
    void *last;    /* the last frame */
    ColourHistogram histogram;
};

static void clear_given(void *data)
{
    g_free(((GivenMask *)data)->bytes);
}

MaskTracker *mask_tracker_new(const VideoFile *video)
{
    MaskTracker *t = g_new0(MaskTracker, 1);
    t->video = video;
    t->pixels = (size_t)video->width * (size_t)video->height;
    t->given = g_array_new(FALSE, FALSE, sizeof(GivenMask));
    g_array_set_clear_func(t->given, clear_given);
    g_mutex_init(&t->lock);
    g_cond_init(&t->done);
    t->mask = g_try_malloc(t->pixels);
    t->last = g_try_malloc(video->bytes);
    if (t->mask && t->last)
        return t;
    mask_tracker_free(t);
    return NULL;
}

void mask_tracker_free(MaskTracker *t)
{
    if (!t)
        return;
    g_array_unref(t->given);
    g_mutex_clear(&t->lock);
    g_cond_clear(&t->done);
    g_free(t->mask);
    g_free(t->last);
    g_free(t);
}

bool mask_tracker_give(MaskTracker *t, int64_t frame, const uint8_t *mask)
{
    GivenMask given = {frame, g_try_malloc(t->pixels)};
    if (!given.bytes)
        return false;
    memcpy(given.bytes, mask, t->pixels);
    g_array_append_val(t->given, given);
    return true;
}

static const uint8_t *given_mask(const MaskTracker *t, int64_t frame)
{
    for (guint i = 0; i < t->given->len; i++)
        if (g_array_index(t->given, GivenMask, i).frame == frame)
            return g_array_index(t->given, GivenMask, i).bytes;
    return NULL;
}

/* Whether the mask of a frame may be carried on from an earlier frame: only if a mask is tracked
 * now, or given for a frame between the current one and this one. */
static bool may_follow(MaskTracker *t, int64_t frame)
{
    g_mutex_lock(&t->lock);
    bool may = t->tracking;
    int64_t done = t->frames_done;
    g_mutex_unlock(&t->lock);
    for (guint i = 0; i < t->given->len && !may; i++) {
        int64_t number = g_array_index(t->given, GivenMask, i).frame;
        may = number > done && number < frame;
    }
    return may;
}

static CofImage mask_view(const MaskTracker *t, uint8_t *mask)
{
    return (CofImage){
        .data = mask, .width = t->video->width, .height = t->video->height, .channels = 1};
}

/* Carries the mask of the last frame on. An object that has left the frame leaves an empty mask. */
static CofStatus follow(const MaskTracker *t, CofSelection *selection, const CofOptions *options,
                        uint8_t *mask)
{
    CofImage last = video_file_view(t->video, t->last), last_mask = mask_view(t, t->mask);
    CofImage view = mask_view(t, mask);
    CofStatus status = cof_selection_follow(selection, &last, &last_mask, options);
    if (status == COF_OK)
        status = cof_selection_update(selection, &view, options);
    if (status != COF_ERR_EMPTY)
        return status;
    memset(mask, 0, t->pixels);
    return COF_OK;
}

/* Finds the mask once all frames before have theirs; *found: there is one. */
static CofStatus find(MaskTracker *t, const CofImage *image, const uint8_t *given,
                      CofSelection *selection, const CofOptions *options, uint8_t *mask,
                      bool *found)
{
    ColourHistogram histogram = colour_histogram_of(image);
    CofStatus status = COF_OK;
    bool cut = colour_histogram_distance(&t->histogram, &histogram) > MAX_DIFFERENCE;
    *found = given || (t->tracking && !cut);
    if (given)
        memcpy(mask, given, t->pixels);
    else if (*found)
        status = follow(t, selection, options, mask);
    if (*found && status == COF_OK)
        memcpy(t->mask, mask, t->pixels);
    memcpy(t->last, image->data, t->video->bytes);
    t->histogram = histogram;
    return status;
}

CofStatus mask_tracker_find(MaskTracker *t, int64_t frame, const CofImage *image,
                            const CofOptions *options, uint8_t *mask, bool *found)
{
    const uint8_t *given = given_mask(t, frame);
    CofSelection *selection = NULL;
    CofStatus status = COF_OK;
    *found = false;
    if (!given && may_follow(t, frame))
        status = cof_selection_new(&selection, image, options);
    g_mutex_lock(&t->lock);
    while (t->frames_done != frame - 1)
        g_cond_wait(&t->done, &t->lock);
    g_mutex_unlock(&t->lock); /* nobody else has a turn until frames_done changes */
    if (status == COF_OK)
        status = find(t, image, given, selection, options, mask, found);
    g_mutex_lock(&t->lock);
    t->tracking = *found;
    t->frames_done = frame;
    g_cond_broadcast(&t->done);
    g_mutex_unlock(&t->lock);
    cof_selection_free(&selection);
    return status;
}
