/* SPDX-License-Identifier: BSD-2-Clause */
/* Upscaling by cubic B-splines. */
#include "image/upscale.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "image/box_downscale.h"
#include "image/image.h"

/* The weights of four neighbouring pixels: a cubic B-spline, whose contours are smooth. */
#define TAPS 4

typedef struct Spline {
    int first; /* first of the four, from the pixel that x / n is in */
    float shares[TAPS];
} Spline;

static Spline spline_at(int x, int n)
{
    double at = (x + 0.5) / n - 0.5, below = floor(at), t = at - below, u = 1 - t;
    float first = (float)(u * u * u / 6), second = (float)((3 * t * t * t - 6 * t * t + 4) / 6),
          third = (float)((3 * u * u * u - 6 * u * u + 4) / 6);
    /* The sum must be exactly 1, so that full weights give the same result as no weights. */
    float fourth = 1 - (first + second + third);
    return (Spline){.first = (int)below - 1, .shares = {first, second, third, fourth}};
}

static int inside(int index, int count)
{
    return index < 0 ? 0 : index < count ? index : count - 1;
}

/* Rows of the small image have this many more pixels on either side, which repeat the last one. */
#define MARGIN 2

/* The memory of one thread. The last rows of the small image are kept, with all bands, and with the
 * weights of their pixels as one more band. */
typedef struct Lines {
    float *kept;
    int kept_rows[TAPS]; /* which rows these are */
    float *row;          /* between those of the small image */
    float *phase;        /* one pixel in n of a row of the large image */
    float *values, *sums;
    uint8_t *bytes; /* of each band, if pixels are three bytes */
    uint8_t *valid;
} Lines;

typedef struct Upscaling {
    const CofImage *small, *like;
    CofImage *large;
    int n, bands;
    bool gaps;
    const Spline *phases; /* of pixels 0..n-1 */
    Lines *workers;
} Upscaling;

/* The length of a row of the small image. */
static size_t kept_length(const Upscaling *e)
{
    return (size_t)e->small->width + 2 * MARGIN;
}

static bool take_lines(CofiCall *call, const Upscaling *e, Lines *l)
{
    size_t wide = (size_t)e->large->width, narrow = kept_length(e);
    size_t widest = wide > narrow ? wide : narrow; /* a part can be narrower than the small image */
    l->kept = cofi_call_take(call, TAPS * (size_t)(e->bands + 1) * narrow, sizeof *l->kept);
    l->row = cofi_call_take(call, narrow, sizeof *l->row);
    l->phase = cofi_call_take(call, wide, sizeof *l->phase);
    l->values = cofi_call_take(call, wide, sizeof *l->values);
    l->sums = cofi_call_take(call, wide, sizeof *l->sums);
    l->valid = cofi_call_take(call, widest, sizeof *l->valid);
    l->bytes = cofi_call_take(call, 3 * wide, sizeof *l->bytes);
    for (int i = 0; i < TAPS; i++)
        l->kept_rows[i] = -1;
    return l->kept && l->row && l->phase && l->values && l->sums && l->valid && l->bytes;
}

static float *kept_row(const Upscaling *e, const Lines *l, int row, int band)
{
    return l->kept + (size_t)(row % TAPS * (e->bands + 1) + band) * kept_length(e);
}

/* Loads a row of the small image, unless it is there. Pixels are weighted as in downscaling. */
static void keep_row(const Upscaling *e, Lines *l, int row)
{
    if (l->kept_rows[row % TAPS] == row)
        return;
    l->kept_rows[row % TAPS] = row;
    int width = e->small->width;
    float full = cofi_has_alpha(e->small) ? (float)cofi_sample_max(e->small->sample) : 1;
    float *weights = kept_row(e, l, row, e->bands) + MARGIN;
    if (e->gaps)
        cofi_resampling_weights(e->small, row, l->valid, weights);
    for (int x = 0; x < width && e->gaps; x++)
        weights[x] /= full;
    for (int band = 0; band <= e->bands; band++) {
        float *values = kept_row(e, l, row, band) + MARGIN;
        if (band < e->bands)
            cofi_load_row(e->small, band, 0, row, width, values);
        for (int x = 0; x < width && e->gaps && band < e->bands; x++)
            values[x] = weights[x] > 0 ? values[x] * weights[x] : 0;
        for (int x = 1; x <= MARGIN; x++) {
            values[-x] = values[0];
            values[width - 1 + x] = values[width - 1];
        }
    }
}

static void add_rows(const float *const rows[TAPS], const float shares[TAPS], int n,
                     float *restrict sums)
{
    for (int x = 0; x < n; x++)
        sums[x] = 0 + shares[0] * rows[0][x] + shares[1] * rows[1][x] + shares[2] * rows[2][x] +
                  shares[3] * rows[3][x];
}

static inline float add_taps(const float *row, const float shares[TAPS])
{
    return row[0] * shares[0] + row[1] * shares[1] + row[2] * shares[2] + row[3] * shares[3];
}

/* The four pixels of the small image around pixel x of the full one; and their shares. */
static const float *taps_of(const Upscaling *e, const Lines *l, int x, const float **shares)
{
    const Spline *phase = &e->phases[x % e->n];
    *shares = phase->shares;
    return l->row + MARGIN + x / e->n + phase->first;
}

/* Pixels lie between those of the small image in two ways, in turn. */
static void upscale_pairs(const Upscaling *e, const Lines *l, float *restrict values)
{
    int width = e->large->width;
    const float *shares[2];
    const float *even = taps_of(e, l, e->like->x, &shares[0]);
    const float *odd = taps_of(e, l, e->like->x + 1, &shares[1]);
    for (int i = 0; i < width / 2; i++) {
        values[2 * i] = add_taps(even + i, shares[0]);
        values[2 * i + 1] = add_taps(odd + i, shares[1]);
    }
    if (width % 2 != 0)
        values[width - 1] = add_taps(even + width / 2, shares[0]);
}

/* One pixel in n lies in the same way between those of the small image. */
static void upscale_phase(const Upscaling *e, const Lines *l, int first, float *restrict values)
{
    int n = e->n, count = (e->large->width - first - 1) / n + 1;
    const float *shares, *taps = taps_of(e, l, e->like->x + first, &shares);
    float *restrict phase = l->phase;
    for (int i = 0; i < count; i++)
        phase[i] = add_taps(taps + i, shares);
    for (int i = 0; i < count; i++)
        values[i * n] = phase[i];
}

static void upscale_columns(const Upscaling *e, const Lines *l, float *values)
{
    if (e->n == 2)
        upscale_pairs(e, l, values);
    else
        for (int first = 0; first < e->n && first < e->large->width; first++)
            upscale_phase(e, l, first, values + first);
}

/* Upscales one band of a row; band e->bands is the weights. */
static void upscale_band(const Upscaling *e, int band, int y, Lines *l, float *values)
{
    int row = (e->like->y + y) / e->n, length = (int)kept_length(e);
    const Spline *phase = &e->phases[(e->like->y + y) % e->n];
    const float *rows[TAPS];
    for (int i = 0; i < TAPS; i++) {
        int from = inside(row + phase->first + i, e->small->height);
        keep_row(e, l, from);
        rows[i] = kept_row(e, l, from, band);
    }
    add_rows(rows, phase->shares, length, l->row);
    upscale_columns(e, l, values);
}

/* Upscales one band of a row. Where no weight is left, the value of `like` is kept. */
static void upscale_row(const Upscaling *e, int band, int y, Lines *l)
{
    upscale_band(e, band, y, l, l->values);
    if (!e->gaps)
        return;
    if (band == 0)
        upscale_band(e, e->bands, y, l, l->sums);
    for (int x = 0; x < e->large->width; x++)
        if (l->sums[x] > 0)
            l->values[x] /= l->sums[x];
        else
            cofi_load_row(e->like, band, x, y, 1, &l->values[x]);
}

/* Whether pixels are three bytes. */
static bool has_triples(const Upscaling *e)
{
    return e->large->sample == COF_SAMPLE_U8 && e->large->channels == 3;
}

/* Stores a row of them: four bytes at a time, of which the next pixel overwrites the last one. */
static void store_triples(const uint8_t *restrict bytes, int n, uint8_t *restrict to)
{
    const uint8_t *red = bytes, *green = red + n, *blue = green + n;
    for (int i = 0; i < n - 1; i++, to += 3) {
        const uint8_t four[4] = {red[i], green[i], blue[i], 0};
        memcpy(to, four, sizeof four);
    }
    to[0] = red[n - 1], to[1] = green[n - 1], to[2] = blue[n - 1];
}

static void upscale_rows(void *context, int first, int last, int worker)
{
    const Upscaling *e = context;
    Lines *l = &e->workers[worker];
    const CofImage *like = e->like, *large = e->large;
    int width = large->width, bands = e->bands;
    for (int y = first; y < last; y++) {
        for (int channel = 0; channel < bands; channel++) {
            upscale_row(e, channel, y, l);
            if (has_triples(e))
                cofi_round_to_bytes(l->values, width, l->bytes + (ptrdiff_t)channel * width);
            else
                cofi_store_row(large, channel, 0, y, width, l->values);
        }
        if (has_triples(e))
            store_triples(l->bytes, width, cofi_pixel(large, 0, y));
        if (cofi_has_alpha(like))
            cofi_copy_row(like, 0, y, large, 0, y, bands, width, NULL);
        if (like->sample != COF_SAMPLE_F32)
            continue;
        memset(l->valid, 1, (size_t)width);
        cofi_valid_row(like, 0, y, width, l->valid);
        for (int channel = 0; channel < bands; channel++)
            cofi_copy_row(like, 0, y, large, 0, y, channel, width, l->valid);
    }
}

CofStatus cofi_upscale(CofiCall *call, const CofImage *small, int n, const CofImage *like,
                       CofImage *large)
{
    assert(n >= 2);
    assert(small->kind == like->kind && small->sample == like->sample);
    cofi_call_stage(call, COF_STAGE_COLOUR);
    CofStatus status = cofi_take_image(call, like, like->width, like->height, large);
    large->x = like->x;
    large->y = like->y;
    large->full_width = like->full_width;
    large->full_height = like->full_height;
    large->valid = like->valid;
    large->valid_stride = like->valid_stride;
    if (status != COF_OK)
        return status;
    CofiMark mark = cofi_call_mark(call);
    Spline *phases = cofi_call_take(call, (size_t)n, sizeof *phases);
    for (int x = 0; phases && x < n; x++)
        phases[x] = spline_at(x, n);
    Upscaling e = {.small = small,
                   .like = like,
                   .large = large,
                   .n = n,
                   .bands = cofi_bands(like),
                   .gaps = cofi_may_have_gaps(small),
                   .phases = phases,
                   .workers = cofi_call_take(call, (size_t)call->threads, sizeof *e.workers)};
    status = phases && e.workers ? COF_OK : COF_ERR_MEMORY;
    for (int i = 0; i < call->threads && status == COF_OK; i++)
        status = take_lines(call, &e, &e.workers[i]) ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_call_rows(call, like->height, 1, upscale_rows, &e);
    cofi_call_release(call, mark);
    return status;
}
