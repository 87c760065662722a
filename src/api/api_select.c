/* SPDX-License-Identifier: BSD-2-Clause */
/* From scribbles to a soft mask, to a mask, to models of the foreground and of the background. */
#include "cof/cof.h"

#include <string.h>

#include "api/checks.h"
#include "image/image.h"
#include "options/options.h"

/* What cof_select() was given. */
typedef struct Selection {
    const CofModel *model;
    CofImage image, soft;
    CofImage scribbles[2]; /* of the foreground, of the background */
    bool has_background;
    CofRect part;
} Selection;

/* Nothing has been done so far, and nobody is told that anything has. */
static CofStatus end_checks(CofiCall *call, CofStatus status)
{
    call->options.progress = NULL;
    return cofi_call_end(call, status);
}

static CofStatus check_bytes(CofiCall *call, const CofImage *bytes, const CofImage *like,
                             CofImage *complete)
{
    const char *problem = NULL;
    CofStatus status = cofi_bytes_complete(bytes, like, complete, &problem);
    return status == COF_OK ? status : cofi_call_fail(call, status, problem);
}

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
    CofStatus status = check_bytes(call, foreground, &s->image, &s->scribbles[0]);
    if (status == COF_OK && background)
        status = check_bytes(call, background, &s->image, &s->scribbles[1]);
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

/* Of a part nobody knows if there are scribbles elsewhere. */
static CofStatus check_marked(CofiCall *call, const Selection *s)
{
    for (int i = 0; i <= s->has_background; i++)
        if (cofi_rect_holds(cofi_view_rect(&s->image), cofi_full_rect(&s->image)) &&
            count_marked(&s->scribbles[i]) == 0)
            return cofi_call_fail(call, COF_ERR_EMPTY, "nothing is scribbled");
    return COF_OK;
}

/* Floats, one or two at each pixel, at the place of a view; NULL: there is no memory. */
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

/* Of scribbles: 0 and 1. */
static void fill_marks(const Selection *s, float *marks)
{
    for (int y = 0; y < s->image.height; y++)
        for (int x = 0; x < s->image.width; x++)
            for (int i = 0; i <= s->has_background; i++)
                *marks++ = *cofi_pixel(&s->scribbles[i], x, y) != 0;
}

/* The foreground, or its share of both. */
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

/* Both scribbles in one go: they have the same weights. */
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

/* part NULL: the whole image. */
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
    status = end_checks(&call, status);
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

/* Thresholds: the edges of bins that divide each power of two into equal parts, as the bits of
 * floats do. The first bin holds all that is smaller. */
#define BINS_PER_OCTAVE_BITS 6
#define MIN_EXPONENT (-40)
#define BINS (1 + ((-MIN_EXPONENT + 1) << BINS_PER_OCTAVE_BITS))
#define BIN_SHIFT (23 - BINS_PER_OCTAVE_BITS)
#define MIN_BITS ((uint32_t)(127 + MIN_EXPONENT) << 23)

static int bin_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (!(value > 0) || bits < MIN_BITS)
        return 0;
    uint32_t bin = 1 + ((bits - MIN_BITS) >> BIN_SHIFT);
    return bin < BINS ? (int)bin : BINS - 1;
}

static float edge_of(int bin)
{
    uint32_t bits = MIN_BITS + ((uint32_t)(bin - 1) << BIN_SHIFT);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Neighbours that pixels are compared with: near, and as far as textures repeat. */
static const struct {
    int x, y;
} neighbours[] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {3, 0}, {0, 3}, {2, 2}, {-2, 2},
                  {5, 0}, {0, 5}, {4, 4}, {-4, 4}, {7, 0}, {0, 7}, {5, 5}, {-5, 5}};

/* M in whole numbers, whose sums do not depend on their order. */
#define WEIGHT_ONE ((double)(1 << 20))

/* Of each bin: pixels in it; and, as changes from the bin before, the pairs of neighbours that its
 * lower edge parts, and what they weigh. */
typedef struct Border {
    int64_t pixels[BINS], pairs[BINS + 1], weights[BINS + 1];
    int64_t matrix[COF_MAX_COLOURS][COF_MAX_COLOURS];
} Border;

static void fill_border_matrix(Border *border, const CofModel *model)
{
    int k = cof_model_size(model);
    const double *m = cof_model_matrix(model);
    double largest = 0;
    for (int i = 0; i < k * k; i++)
        largest = m[i] > largest ? m[i] : largest;
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++)
            border->matrix[a][b] = largest > 0 ? (int64_t)(m[a * k + b] / largest * WEIGHT_ONE) : 0;
}

static void add_pair(Border *border, int bin, int other, int64_t weight)
{
    int low = bin < other ? bin : other, high = bin < other ? other : bin;
    border->pairs[low + 1]++;
    border->pairs[high + 1]--;
    border->weights[low + 1] += weight;
    border->weights[high + 1] -= weight;
}

static void measure_border(Border *border, const uint16_t *bins, const uint8_t *labels, int width,
                           int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            ptrdiff_t at = (ptrdiff_t)y * width + x;
            border->pixels[bins[at]]++;
            for (size_t i = 0; i < sizeof neighbours / sizeof neighbours[0]; i++) {
                int nx = x + neighbours[i].x, ny = y + neighbours[i].y;
                if (nx < 0 || nx >= width || ny >= height)
                    continue;
                ptrdiff_t there = (ptrdiff_t)ny * width + nx;
                if (bins[there] != bins[at])
                    add_pair(border, bins[at], bins[there],
                             border->matrix[labels[at]][labels[there]]);
            }
        }
}

/* A mask has no less than the scribbles, and leaves something. */
#define MAX_SHARE 0.9

/* With scribbles of both, a pixel belongs to the one that has at least half of it. */
#define MIN_SHARE_OF_BOTH 0.5f
#define MAX_SHARE_OF_BOTH 0.9f

/* The bin across whose lower edge neighbours weigh least, on average; 0 if none is sensible. */
static int best_bin(const Border *border, double scribbled, double all, bool both)
{
    int best = 0;
    double least = 0, above = all;
    int64_t pairs = 0, weights = 0;
    for (int bin = 1; bin < BINS; bin++) {
        above -= (double)border->pixels[bin - 1];
        pairs += border->pairs[bin];
        weights += border->weights[bin];
        float edge = edge_of(bin);
        bool sensible = both ? edge >= MIN_SHARE_OF_BOTH && edge <= MAX_SHARE_OF_BOTH
                             : above >= scribbled && above < MAX_SHARE * all;
        double mean = pairs > 0 ? (double)weights / (double)pairs : 0;
        if (pairs > 0 && sensible && (best == 0 || mean < least)) {
            best = bin;
            least = mean;
        }
    }
    return best;
}

/* Where no threshold is sensible, half of what there can be. */
#define DEFAULT_THRESHOLD 0.5

static CofStatus find_threshold(const Selection *s, const CofOptions *options, double *threshold)
{
    int width = s->image.width, height = s->image.height;
    Border *border = cofi_calloc(1, sizeof *border);
    uint8_t *labels = cofi_malloc((size_t)height, (size_t)width);
    uint16_t *bins = cofi_malloc((size_t)height, (size_t)width * sizeof *bins);
    CofImage to = {.data = labels, .width = width, .height = height, .channels = 1};
    CofStatus status = border && labels && bins ? cof_model_label(s->model, &s->image, &to, options)
                                                : COF_ERR_MEMORY;
    if (status == COF_OK) {
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                float value;
                cofi_load_row(&s->soft, 0, x, y, 1, &value);
                bins[(ptrdiff_t)y * width + x] = (uint16_t)bin_of(value);
            }
        fill_border_matrix(border, s->model);
        measure_border(border, bins, labels, width, height);
        int bin = best_bin(border, (double)count_marked(&s->scribbles[0]), (double)width * height,
                           s->has_background);
        *threshold = bin > 0 ? (double)edge_of(bin) : DEFAULT_THRESHOLD;
    }
    cofi_free(border);
    cofi_free(labels);
    cofi_free(bins);
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
        status = check_bytes(&call, mask, &s.image, &mask_view);
    if (status == COF_OK && (s.soft.width != s.image.width || s.soft.height != s.image.height))
        status = cofi_mismatch(&call, "the soft mask differs in size from the image");
    status = end_checks(&call, status);
    double found = *threshold;
    if (status == COF_OK && found <= 0)
        status = find_threshold(&s, &complete, &found);
    if (status != COF_OK)
        return status;
    *threshold = found;
    write_mask(&s, found, &mask_view);
    return COF_OK;
}

/* Progress of one of several calls. */
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

/* The options of a call that is one of several, the next if it is asked again. */
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

/* What both models are made of. */
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

/* Where the mask is not, and has nothing near. */
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

/* Growing, scanning, settling; counting and a model, twice. */
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
        status = check_bytes(&call, mask, &view, &mask_view);
    status = end_checks(&call, status);
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
