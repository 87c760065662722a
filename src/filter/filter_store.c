/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores the result of the filter: working values become samples of the output. */
#include "filter/filter_store.h"

#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "filter/device_passes.h"
#include "image/box_downscale.h"
#include "image/image.h"

/* In double precision, since the difference of two floats can be out of their range. */
static void mix(float *values, const float *others, double share, int n)
{
    for (int i = 0; i < n; i++)
        values[i] =
            cofi_to_float((double)values[i] + share * ((double)others[i] - (double)values[i]));
}

/* Adds the share of the removed detail to the values of a row. */
static void add_detail(const CofiStoring *s, int x, int y, int n, float *const *values)
{
    enum { BLOCK = 256 };
    float rows[3][BLOCK];
    float *const lab[3] = {rows[0], rows[1], rows[2]};
    int in_x = x - s->in->x, in_y = y - s->in->y;
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        if (s->lab)
            cofi_lab_row(s->colour, s->in, in_x + first, in_y, count, lab);
        for (int band = 0; band < cofi_bands(s->in); band++) {
            float *row = rows[s->lab ? band : 0];
            if (!s->lab)
                cofi_load_row(s->in, band, in_x + first, in_y, count, row);
            mix(values[band] + first, row, s->detail, count);
        }
    }
}

void cofi_store_result(const CofiStoring *s, int x, int y, int n, float *const *values,
                       const uint8_t *changed)
{
    const CofImage *in = s->in, *to = s->out;
    int bands = cofi_bands(in);
    if (s->detail != 0 && s->detail != 1)
        add_detail(s, x, y, n, values);
    int in_x = x - in->x, in_y = y - in->y, to_x = x - to->x, to_y = y - to->y;
    bool all = !memchr(changed, 0, (size_t)n);
    /* Segments of pixels that have all changed, or have not. */
    for (int first = 0; first < n;) {
        int end = first + 1;
        while (end < n && (all || changed[end] == changed[first]))
            end++;
        int count = end - first;
        const float *segment[COF_MAX_BANDS];
        for (int band = 0; band < bands; band++)
            segment[band] = values[band] + first;
        if (!changed[first] || s->detail == 1)
            for (int band = 0; band < bands; band++)
                cofi_copy_row(in, in_x + first, in_y, to, to_x + first, to_y, band, count, NULL);
        else if (s->lab)
            cofi_store_lab_row(s->colour, to, to_x + first, to_y, count, segment);
        else
            for (int band = 0; band < bands; band++)
                cofi_store_row(to, band, to_x + first, to_y, count, segment[band]);
        first = end;
    }
    if (cofi_has_alpha(in))
        cofi_copy_row(in, in_x, in_y, to, to_x, to_y, in->channels - 1, n, NULL);
}

void cofi_filter_store_row(const CofiFilter *f, const CofImage *to, int x, int y, int n,
                           float *const *values, const uint8_t *changed)
{
    assert(x >= 0 && y >= 0 && x + n <= f->view.width && y < f->view.height);
    CofiStoring storing = {&f->colour, f->job.in, to, f->lab, f->job.detail};
    cofi_store_result(&storing, f->view.x + x, f->view.y + y, n, values, changed);
}

CofStatus cofi_take_result(CofiCall *call, const CofImage *like, CofRect part, CofImage *result)
{
    CofStatus status = cofi_take_image(call, like, part.width, part.height, result);
    result->x = part.x;
    result->y = part.y;
    result->full_width = like->full_width;
    result->full_height = like->full_height;
    return status;
}

typedef struct Copy {
    const CofImage *from, *to;
} Copy;

static void copy_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const CofImage *from = ((const Copy *)context)->from, *to = ((const Copy *)context)->to;
    int x = from->x - to->x, y = from->y - to->y;
    bool is_packed =
        from->pixel_stride == to->pixel_stride && from->channel_stride == to->channel_stride;
    for (int row = first; row < last; row++) {
        if (is_packed)
            memcpy(cofi_pixel(to, x, y + row), cofi_pixel(from, 0, row),
                   (size_t)(from->width * from->pixel_stride));
        for (int channel = 0; channel < to->channels && !is_packed; channel++)
            cofi_copy_row(from, 0, row, to, x, y + row, channel, from->width, NULL);
    }
}

void cofi_copy_result(CofiCall *call, const CofImage *result, const CofImage *out, double units)
{
    cofi_call_output_rows(call, result->height, units, copy_rows, &(Copy){result, out});
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

CofStatus cofi_filter_store(CofiFilter *f)
{
    cofi_call_stage(f->call, COF_STAGE_STORE);
    if (f->device)
        return cofi_device_filter_store(f);
    if (!f->direct)
        cofi_call_output_rows(f->call, f->job.part.height, 1, store_planes, f);
    else if (f->result.data != f->job.out->data)
        cofi_copy_result(f->call, &f->result, f->job.out, 1);
    return COF_OK;
}
