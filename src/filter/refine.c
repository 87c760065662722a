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

/* Of values whose range is 1: windows in which I varies less are taken for flat. */
#define RIDGE 0.001f

/* Channels of the guide in one model, at most. */
#define MAX_GUIDES 3

/* Cells of the image that are refined at a time, so that they stay in the first-level cache. */
#define BLOCK 64

/* The memory of one thread. */
typedef struct Worker {
    uint8_t *valid;   /* of a row of the input */
    float *read;      /* a row of the guide, then of the input: channels of `width` each */
    float *products;  /* of a row: each of `padded` columns */
    float *sums;      /* of these along the row, of each row of a window: `columns` each */
    float *means;     /* of these in windows */
    float *fits;      /* of two rows: coefficients of `columns` each */
    uint8_t *fitted;  /* of two rows: whether a column has a model */
    float *mixed;     /* coefficients between two rows, with one more column on both sides */
    uint8_t *certain; /* whether these are known */
    uint8_t *moving, *labels; /* of a row: whether the label has weights */
    int *sum_rows, fit_rows[2], moving_row;
} Worker;

typedef struct Refining {
    const CofiRefinement *small;
    const CofImage *in, *guide, *out; /* at full size */
    const CofImage *small_guide;
    CofiColour colour, guide_colour;
    bool lab, guide_lab;
    bool own;                         /* each band is a function of its own channel */
    int bands, channels, guides;      /* of the input; of the guide; of these in one model */
    int products;                     /* that are summed */
    CofiScale scales[COF_MAX_BANDS];  /* of the guide */
    CofiScale results[COF_MAX_BANDS]; /* of the input */
    double detail;
    bool some_stay;     /* labels without weights in all members */
    int first, columns; /* of the models */
    int padded, width;  /* columns with the radius on both sides; of the longest row that is read */
    Worker *workers;
} Refining;

static int slots_of(const Refining *r)
{
    return 2 * r->small->radius + 1;
}

static int coefficients(const Refining *r)
{
    return r->bands * (r->guides + 1);
}

/* What a model needs to know: sums of the guide, of its products, and of each band that depends on
 * it with the products of both. */
static int model_products(const Refining *r)
{
    int g = r->guides, bands = r->own ? 1 : r->bands;
    return g + g * (g + 1) / 2 + bands * (1 + g);
}

static CofiScale scale_of_samples(const CofImage *image, bool lab, int channel)
{
    if (lab)
        return (CofiScale){channel == 0 ? 50 : 0, 100};
    float most = (float)cofi_sample_max(image->sample);
    bool anything = image->sample == COF_SAMPLE_F32 && image->kind == COF_KIND_BANDS;
    return (CofiScale){anything ? 0 : most / 2, most};
}

/* The scale of a channel of the guide. Its values are those that the palette has, if it has
 * several; floats may have any range. */
static CofiScale scale_of(const CofiPalette *palette, const CofImage *image, bool lab, int channel)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    bool fits = palette->bands == cofi_bands(image) && palette->family != COF_KIND_RGB;
    for (int i = 0; i < palette->k && fits; i++) {
        double value = (double)palette->centres[i * palette->bands + channel];
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (low >= high)
        return scale_of_samples(image, lab, channel);
    return (CofiScale){cofi_to_float(low + (high - low) / 2), cofi_to_float(high - low)};
}

CofiScale cofi_refine_scale(const CofiRefinement *r, CofSpace space, int channel)
{
    bool lab = cofi_family(r->in->kind) == COF_KIND_RGB && space == COF_SPACE_LAB;
    return scale_of(r->palettes[0], r->in, lab, channel);
}

/* Reads channels of an image, scaled: pixels x..x+n-1 of row y of the full image. */
static void read_row(const Refining *r, const CofImage *image, bool of_guide, int x, int y, int n,
                     float *rows)
{
    bool lab = of_guide ? r->guide_lab : r->lab;
    const CofiScale *scales = of_guide ? r->scales : r->results;
    int channels = cofi_bands(image);
    if (lab) {
        float *const lab_rows[3] = {rows, rows + r->width, rows + 2 * r->width};
        cofi_lab_row(of_guide ? &r->guide_colour : &r->colour, image, x - image->x, y - image->y, n,
                     lab_rows);
    }
    for (int channel = 0; channel < channels; channel++) {
        float *row = rows + (ptrdiff_t)channel * r->width;
        if (!lab)
            cofi_load_row(image, channel, x - image->x, y - image->y, n, row);
        CofiScale scale = scales[channel];
        for (int i = 0; i < n; i++)
            row[i] = (row[i] - scale.middle) / scale.range;
    }
}

/* Reads the guide. Channels that are not in the models are averaged. */
static void read_guide(const Refining *r, const CofImage *guide, int x, int y, int n, float *rows)
{
    read_row(r, guide, true, x, y, n, rows);
    if (r->own || r->guides == r->channels)
        return;
    for (int channel = 1; channel < r->channels; channel++)
        for (int i = 0; i < n; i++)
            rows[i] += rows[(ptrdiff_t)channel * r->width + i];
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

static void multiply(const float *restrict a, const float *restrict b, int n, float *restrict out)
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] * b[i];
}

/* Products of one model, from `at` on; those of the next model follow. */
static float *multiply_model(const Refining *r, const float *guide, const float *values, int bands,
                             int n, float *at)
{
    const float *g[MAX_GUIDES];
    for (int i = 0; i < r->guides; i++)
        g[i] = guide + (ptrdiff_t)i * r->width;
    for (int i = 0; i < r->guides; i++, at += r->padded)
        memcpy(at, g[i], (size_t)n * sizeof *at);
    for (int i = 0; i < r->guides; i++)
        for (int j = i; j < r->guides; j++, at += r->padded)
            multiply(g[i], g[j], n, at);
    for (int band = 0; band < bands; band++) {
        const float *value = values + (ptrdiff_t)band * r->width;
        memcpy(at, value, (size_t)n * sizeof *at);
        at += r->padded;
        for (int i = 0; i < r->guides; i++, at += r->padded)
            multiply(g[i], value, n, at);
    }
    return at;
}

/* Fills the products of row y, which are 0 beyond the image and where there is no data. */
static void multiply_row(const Refining *r, Worker *w, int y)
{
    const CofImage *in = r->small->in, *guide = r->small_guide;
    int left = r->first - r->small->radius, right = left + r->padded;
    int begin = left > 0 ? left : 0, end = right < in->full_width ? right : in->full_width;
    int n = end - begin;
    float *values = w->read + (ptrdiff_t)r->channels * r->width;
    float *at = w->products + (begin - left);
    read_guide(r, guide, begin, y, n, w->read);
    read_row(r, r->small->filtered, false, begin, y, n, values);
    find_valid(in, guide, begin, y, n, w->valid);
    if (cofi_has_alpha(in)) {
        cofi_load_row(in, in->channels - 1, begin - in->x, y - in->y, n, at);
        for (int i = 0; i < n; i++)
            w->valid[i] &= at[i] > 0;
    }
    for (int i = 0; i < n; i++)
        at[i] = w->valid[i];
    if (memchr(w->valid, 0, (size_t)n))
        for (int row = 0; row < r->channels + r->bands; row++)
            for (int i = 0; i < n; i++)
                w->read[(ptrdiff_t)row * r->width + i] *= at[i];
    at += r->padded;
    if (r->own)
        for (int band = 0; band < r->bands; band++)
            at = multiply_model(r, w->read + (ptrdiff_t)band * r->width,
                                values + (ptrdiff_t)band * r->width, 1, n, at);
    else
        multiply_model(r, w->read, values, r->bands, n, at);
}

/* Always in the same order, so that results do not depend on parts. */
static void add_along_row(const float *restrict row, int taps, int n, float *restrict sums)
{
    memcpy(sums, row, (size_t)n * sizeof *sums);
    for (int tap = 1; tap < taps; tap++)
        for (int i = 0; i < n; i++)
            sums[i] += row[i + tap];
}

/* The sums of row y. */
static const float *row_sums(const Refining *r, Worker *w, int y)
{
    int slot = y % slots_of(r);
    float *sums = w->sums + (ptrdiff_t)slot * r->products * r->columns;
    if (w->sum_rows[slot] == y)
        return sums;
    w->sum_rows[slot] = y;
    multiply_row(r, w, y);
    for (int i = 0; i < r->products; i++)
        add_along_row(w->products + (ptrdiff_t)i * r->padded, slots_of(r), r->columns,
                      sums + (ptrdiff_t)i * r->columns);
    return sums;
}

static void add(const float *restrict from, int n, float *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] += from[i];
}

/* Finds the means in the windows around row y, and where there are any: those of nothing are 0. */
static void find_means(const Refining *r, Worker *w, int y, uint8_t *fitted)
{
    int height = r->small->in->full_height, radius = r->small->radius, n = r->columns;
    int top = y > radius ? y - radius : 0, bottom = y + radius < height ? y + radius : height - 1;
    ptrdiff_t all = (ptrdiff_t)r->products * n;
    memcpy(w->means, row_sums(r, w, top), (size_t)all * sizeof *w->means);
    for (int row = top + 1; row <= bottom; row++)
        add(row_sums(r, w, row), (int)all, w->means);
    for (int x = 0; x < n; x++) {
        fitted[x] = w->means[x] > 0;
        w->means[x] = fitted[x] ? 1 / w->means[x] : 0;
    }
    for (int i = 1; i < r->products; i++) {
        float *row = w->means + (ptrdiff_t)i * n;
        for (int x = 0; x < n; x++)
            row[x] *= w->means[x];
    }
}

/* The covariances of a model in one window, decomposed: V + ridge = L D L^T. */
typedef struct Factors {
    float l10, l20, l21, d0, d1, d2; /* d are reciprocals */
} Factors;

static inline Factors factorise(float v00, float v01, float v02, float v11, float v12, float v22)
{
    Factors f;
    f.d0 = 1 / v00;
    f.l10 = v01 * f.d0;
    f.l20 = v02 * f.d0;
    f.d1 = 1 / (v11 - f.l10 * v01);
    float rest = v12 - f.l20 * v01;
    f.l21 = rest * f.d1;
    f.d2 = 1 / (v22 - f.l20 * v02 - f.l21 * rest);
    return f;
}

/* A band as a function of three channels. `at` are the means of the band and its products, g those
 * of the guide and its products. */
static void solve_three(const float *restrict g, const float *restrict at, int n,
                        float *restrict fits)
{
    for (int x = 0; x < n; x++) {
        float g0 = g[x], g1 = g[n + x], g2 = g[2 * n + x], j = at[x];
        Factors f = factorise(g[3 * n + x] - g0 * g0 + RIDGE, g[4 * n + x] - g0 * g1,
                              g[5 * n + x] - g0 * g2, g[6 * n + x] - g1 * g1 + RIDGE,
                              g[7 * n + x] - g1 * g2, g[8 * n + x] - g2 * g2 + RIDGE);
        float y0 = at[n + x] - g0 * j, y1 = at[2 * n + x] - g1 * j - f.l10 * y0;
        float y2 = at[3 * n + x] - g2 * j - f.l20 * y0 - f.l21 * y1;
        float a2 = y2 * f.d2, a1 = y1 * f.d1 - f.l21 * a2, a0 = y0 * f.d0 - f.l10 * a1 - f.l20 * a2;
        fits[x] = a0;
        fits[n + x] = a1;
        fits[2 * n + x] = a2;
        fits[3 * n + x] = j - a0 * g0 - a1 * g1 - a2 * g2;
    }
}

static void solve_one(const float *restrict g, const float *restrict at, int n,
                      float *restrict fits)
{
    for (int x = 0; x < n; x++) {
        float variance = g[n + x] - g[x] * g[x];
        fits[x] = (at[n + x] - g[x] * at[x]) / (variance + RIDGE);
        fits[n + x] = at[x] - fits[x] * g[x];
    }
}

/* Coefficients of columns without a model are 0, which a share of 0 leaves out. */
static void clear_unknown(const Refining *r, const uint8_t *fitted, float *fits)
{
    for (int x = 0; x < r->columns; x++)
        for (int i = 0; i < coefficients(r) && !fitted[x]; i++)
            fits[(ptrdiff_t)i * r->columns + x] = 0;
}

/* The coefficients of row y. Values that are too large for sums have none. */
static void fit_row(const Refining *r, Worker *w, int y)
{
    int slot = y & 1, n = r->columns, guides = r->guides, squares = guides * (guides + 1) / 2;
    float *fits = w->fits + (ptrdiff_t)slot * coefficients(r) * n;
    uint8_t *fitted = w->fitted + (ptrdiff_t)slot * n;
    if (w->fit_rows[slot] == y)
        return;
    w->fit_rows[slot] = y;
    find_means(r, w, y, fitted);
    const float *guide = w->means + n, *at = guide + (ptrdiff_t)(guides + squares) * n;
    for (int band = 0; band < r->bands; band++, fits += (ptrdiff_t)(guides + 1) * n) {
        (guides == 1 ? solve_one : solve_three)(guide, at, n, fits);
        for (int x = 0; x < n; x++)
            fitted[x] &= fabsf(fits[(ptrdiff_t)guides * n + x]) <= FLT_MAX;
        if (r->own)
            guide += (ptrdiff_t)model_products(r) * n;
        at = r->own ? guide + 2 * (ptrdiff_t)n : at + (ptrdiff_t)(guides + 1) * n;
    }
    clear_unknown(r, fitted, w->fits + (ptrdiff_t)slot * coefficients(r) * n);
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

/* Coefficients between the rows of models, for row y of the full image. */
static void mix_rows(const Refining *r, Worker *w, int y)
{
    Place place = place_of(y, r->small->n);
    int last = r->small->in->full_height - 1, n = r->columns;
    int rows[2] = {place.first < 0 ? 0 : place.first, place.first < last ? place.first + 1 : last};
    float share = place.share;
    fit_row(r, w, rows[0]);
    if (share > 0)
        fit_row(r, w, rows[1]);
    else
        rows[1] = rows[0];
    for (int i = 0; i < coefficients(r); i++) {
        const float *above = w->fits + ((ptrdiff_t)(rows[0] & 1) * coefficients(r) + i) * n;
        const float *below = w->fits + ((ptrdiff_t)(rows[1] & 1) * coefficients(r) + i) * n;
        float *mixed = w->mixed + (ptrdiff_t)i * (n + 2) + 1;
        for (int x = 0; x < n; x++)
            mixed[x] = (1 - share) * above[x] + share * below[x];
        mixed[-1] = mixed[0];
        mixed[n] = mixed[n - 1];
    }
    uint8_t *certain = w->certain + 1;
    for (int x = 0; x < n; x++)
        certain[x] = w->fitted[(rows[0] & 1) * n + x] & w->fitted[(rows[1] & 1) * n + x];
    certain[-1] = certain[0];
    certain[n] = certain[n - 1];
}

static inline float between(const float *mixed, float share, int i)
{
    return (1 - share) * mixed[i] + share * mixed[i + 1];
}

/* Coefficients of a band are rows of `stride`, guides of BLOCK. */
static void apply_three(const float *restrict mixed, ptrdiff_t stride, float share,
                        const float *restrict guide, int n, float *restrict result)
{
    const float *second = mixed + stride, *third = second + stride, *last = third + stride;
    for (int i = 0; i < n; i++)
        result[i] = between(last, share, i) + between(mixed, share, i) * guide[i] +
                    between(second, share, i) * guide[BLOCK + i] +
                    between(third, share, i) * guide[2 * BLOCK + i];
}

static void apply_one(const float *restrict mixed, ptrdiff_t stride, float share,
                      const float *restrict guide, int n, float *restrict result)
{
    const float *last = mixed + stride;
    for (int i = 0; i < n; i++)
        result[i] = between(last, share, i) + between(mixed, share, i) * guide[i];
}

/* Every step-th value. */
static void pick(const float *from, int step, int n, float *to)
{
    for (int i = 0; i < n; i++)
        to[i] = from[(ptrdiff_t)i * step];
}

/* One phase of at most BLOCK cells: pixels `begin`, `begin` + n ... before `end` of the row that
 * begins at x. The guide is in w->read; results go to `values`. */
static void apply_phase(const Refining *r, Worker *w, int x, int begin, int end, float *values)
{
    int n = r->small->n, count = (end - begin - 1) / n + 1, guides = r->own ? 1 : r->guides;
    Place place = place_of(x + begin, n);
    ptrdiff_t at = place.first - r->first + 1, stride = r->columns + 2;
    float guide[MAX_GUIDES * BLOCK], result[BLOCK];
    for (int band = 0; band < r->bands; band++) {
        const float *mixed = w->mixed + band * (r->guides + 1) * stride + at;
        for (int i = 0; i < guides && (r->own || band == 0); i++)
            pick(w->read + (ptrdiff_t)(r->own ? band : i) * r->width + begin, n, count,
                 guide + i * BLOCK);
        if (guides == 1)
            apply_one(mixed, stride, place.share, guide, count, result);
        else
            apply_three(mixed, stride, place.share, guide, count, result);
        float *row = values + (ptrdiff_t)band * r->width + begin;
        CofiScale scale = r->results[band];
        for (int i = 0; i < count; i++)
            row[(ptrdiff_t)i * n] = cofi_to_finite(scale.middle + scale.range * result[i]);
    }
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
        rows[i] = w->read + (ptrdiff_t)i * r->width;
    cofi_features_row(&r->guide_colour, r->small_guide, r->first - r->small_guide->x,
                      y - r->small_guide->y, r->columns, rows);
    for (int member = 0; member < small->members; member++) {
        cofi_label_row(small->palettes[member], &r->guide_colour.kernels,
                       (const float *const *)rows, r->columns, w->labels);
        for (int x = 0; x < r->columns; x++)
            w->moving[x] |= small->weighs[member][w->labels[x]];
    }
}

/* Clears those pixels that keep their bytes: there is no data around them, or their label has no
 * weight. */
static void find_refined(const Refining *r, const Worker *w, uint8_t *refined)
{
    int n = r->small->n, x = r->out->x, width = r->out->width;
    for (int i = 0; i < width && r->some_stay; i++)
        refined[i] &= w->moving[(x + i) / n - r->first];
    bool all_certain = !memchr(w->certain, 0, (size_t)r->columns + 2);
    for (int i = 0; i < width && !all_certain; i++) {
        Place place = place_of(x + i, n);
        const uint8_t *at = w->certain + (place.first - r->first + 1);
        /* At full size, each pixel has a model of its own. */
        refined[i] &= at[0] & at[place.share > 0];
    }
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Clears those pixels whose results are no numbers: floats that are too large for their models. */
static void check_results(float *const *rows, int bands, int n, uint8_t *refined)
{
    for (int band = 0; band < bands; band++)
        for (int i = 0; i < n; i++)
            refined[i] &= rows[band][i] == rows[band][i];
}

static void refine_row(const Refining *r, Worker *w, int y)
{
    const CofImage *out = r->out;
    int n = out->width, step = r->small->n;
    float *values = w->read + (ptrdiff_t)r->channels * r->width, *rows[COF_MAX_BANDS];
    mix_rows(r, w, y);
    if (r->some_stay)
        find_moving(r, w, y / step);
    read_guide(r, r->guide, out->x, y, n, w->read);
    find_valid(r->in, r->guide, out->x, y, n, w->valid);
    find_refined(r, w, w->valid);
    for (int start = 0; start < n; start += BLOCK * step)
        for (int begin = start; begin < start + step && begin < n; begin++)
            apply_phase(r, w, out->x, begin, smaller(start + BLOCK * step, n), values);
    for (int band = 0; band < r->bands; band++)
        rows[band] = values + (ptrdiff_t)band * r->width;
    if (r->in->sample == COF_SAMPLE_F32 || r->guide->sample == COF_SAMPLE_F32)
        check_results(rows, r->bands, n, w->valid);
    CofiStoring storing = {&r->colour, r->in, out, r->lab, r->detail};
    cofi_store_result(&storing, out->x, y, n, rows, w->valid);
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
        int slots = slots_of(r), fits = coefficients(r);
        w->valid = cofi_call_take(call, (size_t)r->width, 1);
        w->read = take_floats(call, r->channels + r->bands, r->width);
        w->products = take_floats(call, r->products, r->padded);
        w->sums = take_floats(call, slots * r->products, r->columns);
        w->means = take_floats(call, r->products, r->columns);
        w->fits = take_floats(call, 2 * fits, r->columns);
        w->fitted = cofi_call_take(call, 2, (size_t)r->columns);
        w->mixed = take_floats(call, fits, r->columns + 2);
        w->certain = cofi_call_take(call, (size_t)r->columns + 2, 1);
        w->moving = cofi_call_take(call, (size_t)r->columns, 1);
        w->labels = cofi_call_take(call, (size_t)r->columns, 1);
        w->sum_rows = cofi_call_take(call, (size_t)slots, sizeof *w->sum_rows);
        if (!w->valid || !w->read || !w->products || !w->sums || !w->means || !w->fits ||
            !w->fitted || !w->mixed || !w->certain || !w->moving || !w->labels || !w->sum_rows)
            return COF_ERR_MEMORY;
        memset(w->sum_rows, -1, (size_t)slots * sizeof *w->sum_rows);
        w->fit_rows[0] = w->fit_rows[1] = w->moving_row = -1;
    }
    return r->workers ? COF_OK : COF_ERR_MEMORY;
}

/* The columns of models that the output needs. */
static void plan_columns(Refining *r)
{
    int n = r->small->n, radius = r->small->radius, last = r->small->in->full_width - 1;
    int left = place_of(r->out->x, n).first;
    int right = place_of(r->out->x + r->out->width - 1, n).first + (n > 1);
    r->first = left < 0 ? 0 : left;
    r->columns = (right < last ? right : last) - r->first + 1;
    r->padded = r->columns + 2 * radius;
    r->width = r->padded > r->out->width ? r->padded : r->out->width;
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
    r->guides = is_rgb ? MAX_GUIDES : 1;
    r->products = 1 + (r->own ? r->bands : 1) * model_products(r);
    for (int i = 0; i < r->channels; i++)
        r->scales[i] = scale_of(palette, r->guide, r->guide_lab, i);
    for (int i = 0; i < r->bands; i++)
        r->results[i] = separate ? scale_of_samples(r->in, r->lab, i) : r->scales[i];
}

void cofi_refine_member(CofiRefinement *r, int member, const CofiPalette *palette,
                        const CofModel *model)
{
    int k = model->palette.k;
    r->palettes[member] = palette;
    r->members = member + 1;
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++)
            r->weighs[member][a] |= model->matrix[a * k + b] > 0;
}

bool cofi_refine_some_stay(const CofiRefinement *r)
{
    bool some = r->members > 0;
    for (int i = 0; i < r->members; i++)
        some &= memchr(r->weighs[i], 0, (size_t)r->palettes[i]->k) != NULL;
    return some;
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
                  .detail = cofi_detail(&call->options)};
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
