/* SPDX-License-Identifier: BSD-2-Clause */
/* The prior probability of the foreground: the mask blurred by a Gaussian, and less than certain
 * everywhere, so that what was learned can correct the mask. */
#include "image/mask_prior.h"

#include <math.h>
#include <stdbool.h>

#include "image/image.h"

#define SIGMA 2.0
#define RADIUS 3 /* the Gaussian is cut off where it falls below 0.2 */
#define DOUBT 0.03

typedef struct Blur {
    const CofImage *mask, *prior;
    double taps[2 * RADIUS + 1]; /* their sum is 1 */
    float *rows;                 /* the mask, 0 to 255, blurred along its rows */
    float *values;               /* of the prior */
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

static float prior_at(const Blur *b, int x, int y)
{
    double sum = 0;
    for (int i = -RADIUS; i <= RADIUS; i++) {
        int row = clamp(y + i, b->mask->height);
        sum += b->taps[i + RADIUS] * (double)b->rows[(ptrdiff_t)row * b->mask->width + x];
    }
    /* fmaf(): the same result on machines with and without fused operations. */
    float share = (float)(1 / 255.0) * (float)sum;
    return fmaf((float)(1 - 2 * DOUBT), share, (float)DOUBT);
}

static void blur_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    for (int y = first; y < last; y++)
        blur_row(context, y);
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
    Blur b = {.mask = mask, .prior = prior};
    fill_taps(b.taps);
    size_t width = (size_t)mask->width, height = (size_t)mask->height;
    b.rows = cofi_call_take_raw(call, height, width * sizeof *b.rows);
    b.values = cofi_call_take_raw(call, height, width * sizeof *b.values);
    CofStatus status = b.rows && b.values ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_call_rows(call, mask->height, 0.5, blur_rows, &b);
    if (status == COF_OK)
        status = cofi_call_rows(call, mask->height, 0.5, prior_rows, &b);
    if (status == COF_OK)
        cofi_call_output_rows(call, mask->height, 0, store_rows, &b);
    cofi_call_release(call, mark);
    return status;
}
