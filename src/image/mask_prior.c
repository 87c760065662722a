/* SPDX-License-Identifier: BSD-2-Clause */
/* The prior probability of the foreground: the mask blurred by a Gaussian, and less than certain
 * near the border of the mask, so that what was learned can correct it there. */
#include "image/mask_prior.h"

#include <math.h>
#include <stdbool.h>

#include "image/image.h"

#define SIGMA 2.0
#define RADIUS 3   /* the Gaussian is cut off where it falls below 0.2 */
#define DOUBT 0.03 /* at the border */

/* How far from the border there is doubt: a share of the shorter side, and pixels at the least. */
#define REACH_SHARE (1.0 / 32)
#define MIN_REACH 16

typedef struct Blur {
    const CofImage *mask, *prior;
    double taps[2 * RADIUS + 1]; /* their sum is 1 */
    float *rows;                 /* the mask, 0 to 255, blurred along its rows */
    float *values;               /* of the prior */
    int reach;
    uint32_t *sums; /* marked pixels above and to the left, modulo 2^32 */
} Blur;

static void fill_taps(double taps[2 * RADIUS + 1])
{
    double sum = 0;
    for (int i = -RADIUS; i <= RADIUS; i++)
        sum += taps[i + RADIUS] = exp(-(double)(i * i) / (2 * SIGMA * SIGMA));
    for (int i = 0; i <= 2 * RADIUS; i++)
        taps[i] /= sum;
}

static int clamp(int index, int count)
{
    return index < 0 ? 0 : index < count ? index : count - 1;
}

static void blur_row(const Blur *b, int y)
{
    int width = b->mask->width;
    float *row = b->rows + (ptrdiff_t)y * width;
    for (int x = 0; x < width; x++) {
        double sum = 0;
        for (int i = -RADIUS; i <= RADIUS; i++)
            if (*cofi_pixel(b->mask, clamp(x + i, width), y) != 0)
                sum += 255 * b->taps[i + RADIUS];
        row[x] = (float)sum;
    }
}

/* Counts marked pixels from the left end of each row on. */
static void sum_row(const Blur *b, int y)
{
    uint32_t *row = b->sums + (ptrdiff_t)y * b->mask->width, sum = 0;
    for (int x = 0; x < b->mask->width; x++)
        row[x] = sum += *cofi_pixel(b->mask, x, y) != 0;
}

/* Adds the rows above. */
static void sum_columns(const Blur *b)
{
    ptrdiff_t width = b->mask->width;
    for (ptrdiff_t i = width; i < width * b->mask->height; i++)
        b->sums[i] += b->sums[i - width];
}

static uint32_t sum_until(const Blur *b, int x, int y)
{
    return x < 0 || y < 0 ? 0 : b->sums[(ptrdiff_t)y * b->mask->width + x];
}

/* All of DOUBT where half of the pixels within reach are marked, none where all or none are. */
static double doubt_at(const Blur *b, int x, int y)
{
    int left = x > b->reach ? x - b->reach : 0, top = y > b->reach ? y - b->reach : 0;
    int right = x < b->mask->width - b->reach ? x + b->reach : b->mask->width - 1;
    int bottom = y < b->mask->height - b->reach ? y + b->reach : b->mask->height - 1;
    uint32_t marked = sum_until(b, right, bottom) - sum_until(b, left - 1, bottom) -
                      sum_until(b, right, top - 1) + sum_until(b, left - 1, top - 1);
    double share = marked / ((double)(right - left + 1) * (bottom - top + 1));
    return DOUBT * 4 * share * (1 - share);
}

static float prior_at(const Blur *b, int x, int y)
{
    double sum = 0;
    for (int i = -RADIUS; i <= RADIUS; i++) {
        int row = clamp(y + i, b->mask->height);
        sum += b->taps[i + RADIUS] * (double)b->rows[(ptrdiff_t)row * b->mask->width + x];
    }
    /* fmaf(): the same result on machines with and without fused operations. */
    float share = (float)(1 / 255.0) * (float)sum;
    double doubt = doubt_at(b, x, y);
    return fmaf((float)(1 - 2 * doubt), share, (float)doubt);
}

static void blur_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    for (int y = first; y < last; y++) {
        blur_row(context, y);
        sum_row(context, y);
    }
}

static void prior_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Blur *b = context;
    for (int y = first; y < last; y++)
        for (int x = 0; x < b->mask->width; x++)
            b->values[(ptrdiff_t)y * b->mask->width + x] = prior_at(b, x, y);
}

static void store_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Blur *b = context;
    int width = b->mask->width;
    for (int y = first; y < last; y++)
        cofi_store_row(b->prior, 0, 0, y, width, b->values + (ptrdiff_t)y * width);
}

CofStatus cofi_mask_prior(CofiCall *call, const CofImage *mask, const CofImage *prior)
{
    CofiMark mark = cofi_call_mark(call);
    int shorter = mask->width < mask->height ? mask->width : mask->height;
    int share = (int)(REACH_SHARE * shorter);
    Blur b = {.mask = mask, .prior = prior, .reach = share > MIN_REACH ? share : MIN_REACH};
    fill_taps(b.taps);
    size_t width = (size_t)mask->width, height = (size_t)mask->height;
    b.rows = cofi_call_take_raw(call, height, width * sizeof *b.rows);
    b.values = cofi_call_take_raw(call, height, width * sizeof *b.values);
    b.sums = cofi_call_take_raw(call, height, width * sizeof *b.sums);
    CofStatus status = b.rows && b.values && b.sums ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_call_rows(call, mask->height, 0.5, blur_rows, &b);
    if (status == COF_OK)
        sum_columns(&b);
    if (status == COF_OK)
        status = cofi_call_rows(call, mask->height, 0.5, prior_rows, &b);
    if (status == COF_OK)
        cofi_call_output_rows(call, mask->height, 0, store_rows, &b);
    cofi_call_release(call, mark);
    return status;
}
