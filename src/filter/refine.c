/* SPDX-License-Identifier: BSD-2-Clause */
/* Refinement: local linear models of the image. */
#include "filter/refine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "call/device_call.h"
#include "call/resident.h"
#include "filter/filter_store.h"
#include "image/image.h"
#include "learn/label_row.h"
#include "options/options.h"

/* Cells of the image that are refined at a time, so that they stay in the first-level cache. */
#define BLOCK 128

/* The floats between planes of such cells, and of models around them. */
#define BLOCK_STRIDE (BLOCK + 2 * COFI_COLUMNS)

/* The memory of one thread. */
typedef struct Worker {
    float *rows;   /* of a window: planes of weights, of the guide and of the filtered image */
    float *sums;   /* scratch */
    float *models; /* of two rows: planes of coefficients, and whether a column has a model, with
                      more columns on both sides */
    float *mixed;  /* coefficients between two rows */
    float *guide, *values;     /* of a block */
    uint8_t *refined, *picked; /* of a row, and of a block */
    uint8_t *valid;            /* of a row of the input */
    uint8_t *moving, *labels;  /* of a row: whether the label has weights */
    int *row_numbers, model_rows[2], moving_row;
    bool all_known[2];
} Worker;

typedef struct Refining {
    const CofiRefinement *small;
    const CofImage *in, *guide, *out; /* at full size */
    const CofImage *small_guide;
    CofiColour colour, guide_colour;
    bool lab, guide_lab;
    bool own;                         /* each band is a function of its own channel */
    int bands, channels, guides;      /* of the input; of the guide; of these in one model */
    CofiScale scales[COF_MAX_BANDS];  /* of the guide */
    CofiScale results[COF_MAX_BANDS]; /* of the input */
    double detail;
    bool some_stay;     /* labels without weights in all members */
    int first, columns; /* of the models */
    int padded;         /* columns, as kernels round them up */
    int stride;         /* of planes of rows and models */
    Worker *workers;
} Refining;

static int slots_of(const Refining *r)
{
    return 2 * r->small->radius + 1;
}

/* Planes of a row of the window, and of coefficients. */
static int planes_of(const Refining *r)
{
    return 1 + r->channels + r->bands;
}

static int coefficients(const Refining *r)
{
    return r->bands * (r->guides + 1);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Reads channels of an image, scaled: pixels x..x+n-1 of row y of the full image. */
static void read_row(const Refining *r, const CofImage *image, bool of_guide, int x, int y, int n,
                     float *rows, ptrdiff_t stride)
{
    bool lab = of_guide ? r->guide_lab : r->lab;
    const CofiScale *scales = of_guide ? r->scales : r->results;
    int channels = cofi_bands(image);
    if (lab) {
        float *const lab_rows[3] = {rows, rows + stride, rows + 2 * stride};
        cofi_lab_row(of_guide ? &r->guide_colour : &r->colour, image, x - image->x, y - image->y, n,
                     lab_rows);
    }
    for (int channel = 0; channel < channels; channel++, rows += stride) {
        if (!lab)
            cofi_load_row(image, channel, x - image->x, y - image->y, n, rows);
        float middle = scales[channel].middle, factor = 1 / scales[channel].range;
        for (int i = 0; i < n; i++)
            rows[i] = (rows[i] - middle) * factor;
    }
}

/* Reads the guide. Channels that are not in the models are averaged. */
static void read_guide(const Refining *r, const CofImage *guide, int x, int y, int n, float *rows,
                       ptrdiff_t stride)
{
    read_row(r, guide, true, x, y, n, rows, stride);
    if (r->own || r->guides == r->channels)
        return;
    for (int channel = 1; channel < r->channels; channel++)
        for (int i = 0; i < n; i++)
            rows[i] += rows[channel * stride + i];
    for (int i = 0; i < n; i++)
        rows[i] /= (float)r->channels;
}

/* Pixels that have data in the input and in the guide. */
static void find_valid(const CofImage *in, const CofImage *guide, int x, int y, int n,
                       uint8_t *valid)
{
    memset(valid, 1, (size_t)n);
    cofi_valid_row(in, x - in->x, y - in->y, n, valid);
    if (guide != in)
        cofi_valid_row(guide, x - guide->x, y - guide->y, n, valid);
}

/* Row y of the small images, from `radius` columns left of the models on: all is 0 beyond the image
 * and where there is no data. */
static const float *small_row(const Refining *r, Worker *w, int y)
{
    const CofImage *in = r->small->in, *guide = r->small_guide;
    int slot = y % slots_of(r), radius = r->small->radius, left = r->first - radius;
    int begin = larger(left, 0), end = smaller(r->first + r->columns + radius, in->full_width);
    int n = end - begin, stride = r->stride;
    float *row = w->rows + (ptrdiff_t)slot * planes_of(r) * stride, *at = row + (begin - left);
    if (w->row_numbers[slot] == y)
        return row;
    w->row_numbers[slot] = y;
    read_guide(r, guide, begin, y, n, at + stride, stride);
    read_row(r, r->small->filtered, false, begin, y, n, at + (1 + r->channels) * stride, stride);
    find_valid(in, guide, begin, y, n, w->valid);
    if (cofi_has_alpha(in)) {
        cofi_load_row(in, in->channels - 1, begin - in->x, y - in->y, n, at);
        for (int i = 0; i < n; i++)
            w->valid[i] &= at[i] > 0;
    }
    for (int i = 0; i < n; i++)
        at[i] = w->valid[i];
    if (memchr(w->valid, 0, (size_t)n))
        for (int plane = 1; plane < planes_of(r); plane++)
            for (int i = 0; i < n; i++)
                at[plane * stride + i] *= at[i];
    return row;
}

/* The models of one of the two rows. */
static float *models_of(const Refining *r, const Worker *w, int y)
{
    return w->models + (y & 1) * (ptrdiff_t)(coefficients(r) + 1) * r->stride + COFI_COLUMNS;
}

/* Repeats the first and the last column beyond them, and finds whether all columns have models. */
static bool extend_models(const Refining *r, float *models)
{
    int unknown = 0;
    for (int i = 0; i <= coefficients(r); i++, models += r->stride) {
        models[-1] = models[0];
        models[r->columns] = models[r->columns - 1];
    }
    for (int x = 0; x < r->columns; x++)
        unknown |= models[x - r->stride] == 0;
    return !unknown;
}

/* The models of row y. */
static const float *fit_row(const Refining *r, Worker *w, int y)
{
    int radius = r->small->radius, last = r->small->in->full_height - 1;
    int top = larger(y - radius, 0), bottom = smaller(y + radius, last);
    const float *rows[2 * COF_MAX_REFINE + 1];
    float *models = models_of(r, w, y), *known = models + coefficients(r) * (ptrdiff_t)r->stride;
    CofiFit fit = {.rows = rows,
                   .n_rows = bottom - top + 1,
                   .stride = r->stride,
                   .guides = r->guides,
                   .radius = radius,
                   .n = r->padded,
                   .sums = w->sums,
                   .model_stride = r->stride,
                   .known = known};
    if (w->model_rows[y & 1] == y)
        return models;
    w->model_rows[y & 1] = y;
    for (int row = top; row <= bottom; row++)
        rows[row - top] = small_row(r, w, row);
    for (int x = 0; x < r->padded; x++)
        known[x] = 1;
    for (int band = 0; band < r->bands; band += fit.values) {
        fit.values = r->own ? 1 : smaller(r->bands - band, COFI_MAX_FITTED);
        fit.guide = 1 + (r->own ? band : 0);
        fit.value = 1 + r->channels + band;
        fit.models = models + (ptrdiff_t)band * (r->guides + 1) * r->stride;
        r->colour.kernels.fit_row(&fit);
    }
    w->all_known[y & 1] = extend_models(r, models);
    return models;
}

/* Where a pixel lies between the models: `share` of the way from the first to the next one. */
typedef struct Place {
    int first;
    float share;
} Place;

static Place place_of(int at, int n)
{
    double place = (at + 0.5) / n - 0.5, first = floor(place);
    return (Place){(int)first, (float)(place - first)};
}

/* The rows of models around a row of the image, and how far it is from the first to the next. */
typedef struct Rows {
    const float *above, *below;
    float share;
    bool all_known;
} Rows;

static Rows rows_around(const Refining *r, Worker *w, int y)
{
    Place place = place_of(y, r->small->n);
    int last = r->small->in->full_height - 1;
    int first = larger(place.first, 0), next = smaller(place.first + (place.share > 0), last);
    const float *above = fit_row(r, w, first), *below = fit_row(r, w, next);
    return (Rows){above, below, place.share, w->all_known[first & 1] && w->all_known[next & 1]};
}

/* The same for labels of the caller, which may be anything where there is no data. */
static void find_given_moving(const Refining *r, Worker *w, int y)
{
    const CofImage *labels = r->small->labels;
    for (int x = 0; x < r->columns; x++) {
        int label = *cofi_pixel(labels, r->first + x - labels->x, y - labels->y);
        w->moving[x] = label < r->small->palettes[0]->k && r->small->weighs[0][label];
    }
}

/* Finds the pixels of row y of the models whose labels have weights. */
static void find_moving(const Refining *r, Worker *w, int y)
{
    const CofiRefinement *small = r->small;
    const CofImage *guide = r->small_guide;
    float *rows[COF_MAX_BANDS];
    if (w->moving_row == y)
        return;
    w->moving_row = y;
    memset(w->moving, 0, (size_t)r->columns);
    if (small->labels) {
        find_given_moving(r, w, y);
        return;
    }
    for (int i = 0; i < r->channels; i++)
        rows[i] = w->guide + i * BLOCK_STRIDE;
    for (int x = 0; x < r->columns; x += BLOCK) {
        int n = smaller(BLOCK, r->columns - x);
        cofi_features_row(&r->guide_colour, guide, r->first + x - guide->x, y - guide->y, n, rows);
        for (int member = 0; member < small->members; member++) {
            cofi_label_row(small->palettes[member], &r->guide_colour.kernels,
                           (const float *const *)rows, n, w->labels);
            for (int i = 0; i < n; i++)
                w->moving[x + i] |= small->weighs[member][w->labels[i]];
        }
    }
}

/* Clears those pixels that keep their bytes: there is no data around them, or their label has no
 * weight. */
static void find_refined(const Refining *r, const Worker *w, const Rows *rows, uint8_t *refined)
{
    int n = r->small->n, x = r->out->x, width = r->out->width;
    ptrdiff_t known = coefficients(r) * (ptrdiff_t)r->stride;
    for (int i = 0; i < width && r->some_stay; i++)
        refined[i] &= w->moving[(x + i) / n - r->first];
    for (int i = 0; i < width && !rows->all_known; i++) {
        Place place = place_of(x + i, n);
        const float *above = rows->above + known + (place.first - r->first),
                    *below = rows->below + known + (place.first - r->first);
        /* At full size, each pixel has a model of its own. */
        int next = place.share > 0;
        refined[i] &= above[0] > 0 && below[0] > 0 && above[next] > 0 && below[next] > 0;
    }
}

/* Infinite results become finite. Clears pixels whose results are no numbers: floats that are too
 * large for their models. */
static void check_results(float *const *rows, int bands, int n, uint8_t *refined)
{
    for (int band = 0; band < bands; band++)
        for (int i = 0; i < n; i++) {
            refined[i] &= rows[band][i] == rows[band][i];
            rows[band][i] = cofi_to_finite(rows[band][i]);
        }
}

/* Every step-th pixel of row y from x on, as an image of its own. */
static CofImage every(const CofImage *image, int step, int x, int y, int n)
{
    CofImage row = *image;
    row.data = cofi_pixel(image, x - image->x, y - image->y);
    row.valid = NULL;
    row.pixel_stride *= step;
    row.x = row.y = 0;
    row.width = row.full_width = n;
    row.height = row.full_height = 1;
    return row;
}

/* One phase of at most BLOCK cells: pixels `begin`, `begin` + n ... before `end` of row y of the
 * output. `mixed` are the models from the first pixel's on. */
static void refine_phase(const Refining *r, Worker *w, int y, int begin, int end,
                         const float *mixed, bool all_refined)
{
    int n = r->small->n, count = (end - begin - 1) / n + 1, x = r->out->x + begin;
    CofImage in = every(r->in, n, x, y, count), guide = every(r->guide, n, x, y, count),
             out = every(r->out, n, x, y, count);
    CofiStoring storing = {&r->colour, &in, &out, r->lab, r->detail};
    float *rows[COF_MAX_BANDS];
    read_guide(r, &guide, 0, 0, count, w->guide, BLOCK_STRIDE);
    for (int band = 0; band < r->bands; band++) {
        rows[band] = w->values + band * BLOCK_STRIDE;
        CofiApply apply = {.models = mixed + band * (r->guides + 1) * BLOCK_STRIDE,
                           .model_stride = BLOCK_STRIDE,
                           .share = place_of(x, n).share,
                           .guide = w->guide + (r->own ? band * BLOCK_STRIDE : 0),
                           .stride = BLOCK_STRIDE,
                           .guides = r->guides,
                           .n = count,
                           .middle = r->results[band].middle,
                           .range = r->results[band].range,
                           .values = rows[band]};
        r->colour.kernels.apply_row(&apply);
    }
    for (int i = 0; i < count; i++)
        w->picked[i] = all_refined || w->refined[begin + i * n];
    if (r->in->sample == COF_SAMPLE_F32 || r->guide->sample == COF_SAMPLE_F32)
        check_results(rows, r->bands, count, w->picked);
    cofi_store_result(&storing, 0, 0, count, rows, w->picked);
}

static void refine_row(const Refining *r, Worker *w, int y)
{
    int n = r->small->n, x = r->out->x, width = r->out->width;
    Rows rows = rows_around(r, w, y);
    if (r->some_stay)
        find_moving(r, w, y / n);
    find_valid(r->in, r->guide, x, y, width, w->refined);
    find_refined(r, w, &rows, w->refined);
    bool all = !memchr(w->refined, 0, (size_t)width);
    for (int start = 0; start < width; start += BLOCK * n) {
        int end = smaller(start + BLOCK * n, width), first = place_of(x + start, n).first;
        ptrdiff_t at = first - r->first;
        r->colour.kernels.mix_rows(rows.above + at, rows.below + at, rows.share, r->stride,
                                   coefficients(r), (end - start - 1) / n + 3, w->mixed,
                                   BLOCK_STRIDE);
        for (int begin = start; begin < start + n && begin < end; begin++)
            refine_phase(r, w, y, begin, end, w->mixed + place_of(x + begin, n).first - first, all);
    }
}

static void refine_rows(void *context, int first, int last, int worker)
{
    const Refining *r = context;
    Worker *w = &r->workers[worker];
    for (int y = first; y < last; y++)
        refine_row(r, w, r->out->y + y);
}

static float *take_floats(CofiCall *call, int rows, int columns)
{
    return cofi_call_take(call, (size_t)rows * (size_t)columns, sizeof(float));
}

static CofStatus take_workers(CofiCall *call, Refining *r)
{
    r->workers = cofi_call_take(call, (size_t)call->threads, sizeof *r->workers);
    for (int i = 0; i < call->threads && r->workers; i++) {
        Worker *w = &r->workers[i];
        int width = larger(r->stride, r->out->width);
        w->rows = take_floats(call, slots_of(r) * planes_of(r), r->stride);
        w->sums = take_floats(call, 1, COFI_FIT_SCRATCH);
        w->models = take_floats(call, 2 * (coefficients(r) + 1), r->stride);
        w->mixed = take_floats(call, coefficients(r), BLOCK_STRIDE);
        w->guide = take_floats(call, r->channels, BLOCK_STRIDE);
        w->values = take_floats(call, r->bands, BLOCK_STRIDE);
        w->refined = cofi_call_take(call, (size_t)width, 1);
        w->valid = cofi_call_take(call, (size_t)width, 1);
        w->picked = cofi_call_take(call, BLOCK, 1);
        w->moving = cofi_call_take(call, (size_t)r->columns, 1);
        w->labels = cofi_call_take(call, BLOCK, 1);
        w->row_numbers = cofi_call_take(call, (size_t)slots_of(r), sizeof *w->row_numbers);
        if (!w->rows || !w->sums || !w->models || !w->mixed || !w->guide || !w->values ||
            !w->refined || !w->valid || !w->picked || !w->moving || !w->labels || !w->row_numbers)
            return COF_ERR_MEMORY;
        memset(w->row_numbers, -1, (size_t)slots_of(r) * sizeof *w->row_numbers);
        w->model_rows[0] = w->model_rows[1] = w->moving_row = -1;
    }
    return r->workers ? COF_OK : COF_ERR_MEMORY;
}

static int rounded_up(int columns)
{
    return (columns + COFI_COLUMNS - 1) / COFI_COLUMNS * COFI_COLUMNS;
}

/* The columns of models that the output needs. Planes are aligned. */
static void plan_columns(Refining *r)
{
    int n = r->small->n, radius = r->small->radius, last = r->small->in->full_width - 1;
    int left = place_of(r->out->x, n).first;
    int right = place_of(r->out->x + r->out->width - 1, n).first + (n > 1);
    r->first = left < 0 ? 0 : left;
    r->columns = (right < last ? right : last) - r->first + 1;
    r->padded = rounded_up(r->columns);
    r->stride = rounded_up(r->columns + 2 * radius) + 3 * COFI_COLUMNS;
}

static void plan_models(Refining *r, const CofiPalette *palette, CofSpace space)
{
    bool separate = r->guide != r->in, to_rgb = cofi_family(r->in->kind) == COF_KIND_RGB;
    r->lab = to_rgb && space == COF_SPACE_LAB;
    r->guide_lab = cofi_family(r->guide->kind) == COF_KIND_RGB && (separate || r->lab);
    r->bands = cofi_bands(r->in);
    r->channels = cofi_bands(r->guide);
    bool is_rgb = cofi_family(r->guide->kind) == COF_KIND_RGB;
    r->own = !is_rgb && !to_rgb && (!separate || r->channels == r->bands);
    r->guides = is_rgb ? COFI_MAX_GUIDES : 1;
    for (int i = 0; i < r->channels; i++)
        r->scales[i] = cofi_scale_of(palette, r->guide, r->guide_lab, i);
    for (int i = 0; i < r->bands; i++)
        r->results[i] = separate ? cofi_scale_of_samples(r->in, r->lab, i) : r->scales[i];
}

CofStatus cofi_refine(CofiCall *call, const CofiRefinement *small, const CofImage *in,
                      const CofImage *guide, const CofImage *out)
{
    assert(small->radius >= 1 && small->n >= 1);
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = cofi_resident_read(call);
    CofImage result = *out;
    Refining r = {.small = small,
                  .in = in,
                  .guide = guide ? guide : in,
                  .small_guide = small->guide ? small->guide : small->in,
                  .out = &result,
                  .detail = small->detail};
    cofi_call_stage(call, COF_STAGE_STORE);
    cofi_call_ends_on_cpu(call, COF_STAGE_STORE);
    plan_models(&r, small->palettes[0], call->options.space);
    r.some_stay = cofi_refine_some_stay(small);
    plan_columns(&r);
    /* Rows are read around those that are written; and until all are, the call can be cancelled. */
    bool apart = !call->options.progress && !cofi_images_overlap(in, out) &&
                 !cofi_images_overlap(r.guide, out);
    if (status == COF_OK && !apart)
        status = cofi_take_result(call, out, cofi_view_rect(out), &result);
    double pixels = (double)out->width * out->height;
    if (status == COF_OK)
        status = cofi_colour_init(&r.colour, call, in, pixels);
    if (status == COF_OK)
        status = cofi_colour_init_stores(&r.colour, call, in);
    if (status == COF_OK)
        status = cofi_colour_init(&r.guide_colour, call, r.guide, pixels);
    if (status == COF_OK)
        status = take_workers(call, &r);
    if (status == COF_OK && apart)
        cofi_call_output_rows(call, out->height, 1, refine_rows, &r);
    else if (status == COF_OK)
        status = cofi_call_rows(call, out->height, 1, refine_rows, &r);
    if (status == COF_OK && !apart)
        cofi_copy_result(call, &result, out, 0);
    cofi_call_release(call, mark);
    return status;
}
