/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores the result of the filter: working values become samples of the output. */
#include "filter/filter_store.h"

#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "filter/device_passes.h"
#include "image/image.h"

/* The image that results are compared with: the input, and of two scales the full image. */
static const CofImage *original(const CofiFilter *f)
{
    return f->job.fallback ? f->job.fallback : f->job.in;
}

/* In double precision, since the difference of two floats can be out of their range. */
static void mix(float *values, const float *others, double share, int n)
{
    for (int i = 0; i < n; i++)
        values[i] =
            cofi_to_float((double)values[i] + share * ((double)others[i] - (double)values[i]));
}

/* Adds the share of the removed detail to the values of a row. */
static void add_detail(const CofiFilter *f, int x, int y, int n, float *const *values)
{
    enum { BLOCK = 256 };
    float rows[3][BLOCK];
    float *const lab[3] = {rows[0], rows[1], rows[2]};
    CofiSource source = cofi_filter_source(f);
    source.in = original(f);
    source.packed = source.in == f->job.in ? source.packed : NULL;
    source.planes = NULL;
    source.residual = false;
    int in_x = f->view.x + x - source.in->x, in_y = f->view.y + y - source.in->y;
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        if (f->lab)
            cofi_source_row(&source, x + first, y, count, lab);
        for (int band = 0; band < f->bands; band++) {
            float *row = rows[f->lab ? band : 0];
            if (!f->lab)
                cofi_load_row(source.in, band, in_x + first, in_y, count, row);
            mix(values[band] + first, row, f->job.detail, count);
        }
    }
}

void cofi_filter_store_row(const CofiFilter *f, const CofImage *to, int x, int y, int n,
                           float *const *values, const uint8_t *changed)
{
    assert(x >= 0 && y >= 0 && x + n <= f->view.width && y < f->view.height);
    const CofImage *in = original(f);
    if (f->job.detail != 0 && f->job.detail != 1)
        add_detail(f, x, y, n, values);
    int in_x = f->view.x + x - in->x, in_y = f->view.y + y - in->y;
    int to_x = f->view.x + x - to->x, to_y = f->view.y + y - to->y;
    bool all = !memchr(changed, 0, (size_t)n);
    /* Segments of pixels that have all changed, or have not. */
    for (int first = 0; first < n;) {
        int end = first + 1;
        while (end < n && (all || changed[end] == changed[first]))
            end++;
        int count = end - first;
        const float *segment[COF_MAX_BANDS];
        for (int band = 0; band < f->bands; band++)
            segment[band] = values[band] + first;
        if (!changed[first] || f->job.detail == 1)
            for (int band = 0; band < f->bands; band++)
                cofi_copy_row(in, in_x + first, in_y, to, to_x + first, to_y, band, count, NULL);
        else if (f->lab)
            cofi_store_lab_row(&f->colour, to, to_x + first, to_y, count, segment);
        else
            for (int band = 0; band < f->bands; band++)
                cofi_store_row(to, band, to_x + first, to_y, count, segment[band]);
        first = end;
    }
    if (cofi_has_alpha(in))
        cofi_copy_row(in, in_x, in_y, to, to_x, to_y, in->channels - 1, n, NULL);
}

/* Stores the working values that several passes have left. */
static void store_planes(void *context, int first, int last, int worker)
{
    (void)worker;
    CofiFilter *f = context;
    CofRect part = cofi_filter_in_view(f, f->job.part);
    for (int y = part.y + first; y < part.y + last; y++) {
        ptrdiff_t at = (ptrdiff_t)y * f->view.width + part.x;
        float *values[COF_MAX_BANDS];
        for (int band = 0; band < f->bands; band++)
            values[band] = f->sets[f->latest][band] + at;
        cofi_filter_store_row(f, f->job.out, part.x, y, part.width, values, f->changed + at);
    }
}

static void copy_result(void *context, int first, int last, int worker)
{
    (void)worker;
    const CofiFilter *f = context;
    const CofImage *out = f->job.out, *result = &f->result;
    int x = result->x - out->x, y = result->y - out->y;
    bool packed =
        result->pixel_stride == out->pixel_stride && result->channel_stride == out->channel_stride;
    for (int row = first; row < last; row++) {
        if (packed)
            memcpy(cofi_pixel(out, x, y + row), cofi_pixel(result, 0, row),
                   (size_t)result->row_stride);
        for (int channel = 0; channel < out->channels && !packed; channel++)
            cofi_copy_row(result, 0, row, out, x, y + row, channel, result->width, NULL);
    }
}

CofStatus cofi_filter_store(CofiFilter *f)
{
    cofi_call_stage(f->call, COF_STAGE_STORE);
    if (f->device)
        return cofi_device_filter_store(f);
    if (!f->direct || f->result.data != f->job.out->data)
        cofi_call_output_rows(f->call, f->job.part.height, 1,
                              f->direct ? copy_result : store_planes, f);
    return COF_OK;
}
