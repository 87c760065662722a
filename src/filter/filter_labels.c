/* SPDX-License-Identifier: BSD-2-Clause */
/* The labels that select the weights of the filter. */
#include "filter/filter_labels.h"

#include <assert.h>
#include <string.h>

#include "filter/device_filter.h"
#include "image/image.h"
#include "learn/label_image.h"
#include "learn/label_row.h"

/* The view in coordinates of the input. */
static CofRect in_input(const CofiFilter *f)
{
    CofRect rect = f->view;
    rect.x -= f->job.in->x;
    rect.y -= f->job.in->y;
    return rect;
}

CofStatus cofi_filter_label(CofiFilter *f, const CofiPalette *const *palettes)
{
    assert(f->passes == 0);
    if (cofi_device_filter_labels(f, palettes))
        return cofi_device_filter_label(f, palettes);
    cofi_call_stage(f->call, COF_STAGE_LABELS);
    const CofImage *image = f->job.guide ? f->job.guide : f->job.in;
    CofiLabelRows rows = {.n = f->job.members,
                          .packed = f->packed.high[0] ? &f->packed : NULL,
                          .stride = f->view.width,
                          .early = f->job.guide ? NULL : f->job.early};
    for (int i = 0; i < rows.n; i++) {
        rows.palettes[i] = palettes[i];
        rows.labels[i] = f->member_labels[i];
    }
    f->is_packed = rows.packed != NULL;
    CofStatus status = cofi_label_image(f->call, &rows, image, in_input(f), rows.n);
    return status == COF_OK && f->device ? cofi_device_filter_label(f, NULL) : status;
}

/* Reads row y of the given labels; false if a valid pixel has a label that is not below k. */
static bool read_labels(const CofiFilter *f, int k, int y)
{
    const CofImage *given = f->job.guide;
    CofRect rect = in_input(f);
    uint8_t *labels = f->labels + (ptrdiff_t)y * rect.width;
    bool fit = true;
    for (int x = 0; x < rect.width; x++) {
        labels[x] = *cofi_pixel(given, rect.x + x, rect.y + y);
        if (labels[x] < k)
            continue;
        uint8_t valid = 1;
        cofi_valid_row(given, rect.x + x, rect.y + y, 1, &valid);
        cofi_valid_row(f->job.in, rect.x + x, rect.y + y, 1, &valid);
        fit &= !valid;
        labels[x] = 0;
    }
    return fit;
}

CofStatus cofi_filter_label_given(CofiFilter *f, int k)
{
    assert(f->job.guide);
    cofi_call_stage(f->call, COF_STAGE_LABELS);
    for (int y = 0; y < f->view.height; y++)
        if (!read_labels(f, k, y))
            return cofi_call_fail_argument(f->call, COF_ERR_MISMATCH, "labels",
                                           "a label is not below the size of the model");
    return f->device ? cofi_device_filter_label(f, NULL) : COF_OK;
}

static void known_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const CofiFilter *f = context;
    const CofPart *known = f->job.known;
    CofRect rect = in_input(f);
    for (int i = 0; i < f->job.members; i++)
        for (int y = first; y < last; y++)
            memcpy(f->member_labels[i] + (ptrdiff_t)y * rect.width,
                   known->labels[i] + (ptrdiff_t)(rect.y + y) * known->image.width + rect.x,
                   (size_t)rect.width);
}

CofStatus cofi_filter_label_known(CofiFilter *f)
{
    assert(f->job.known && f->job.members == f->job.known->n);
    cofi_call_stage(f->call, COF_STAGE_LABELS);
    CofStatus status = cofi_call_rows(f->call, f->view.height, f->job.members, known_rows, f);
    return status == COF_OK && f->device ? cofi_device_filter_label(f, NULL) : status;
}

typedef struct Relabelling {
    CofiFilter *filter;
    const CofiPalette *palette;
} Relabelling;

/* Pixels that are converted to Lab at a time, on the stack. */
#define LAB_BLOCK 128

/* Values that are averaged as RGB are still compared in Lab. */
static void relabel_rgb(const CofiFilter *f, const CofiPalette *palette, const float *const *rgb,
                        int n, uint8_t *labels)
{
    float rows[3][LAB_BLOCK];
    float *const lab[3] = {rows[0], rows[1], rows[2]};
    const float *const read[3] = {rows[0], rows[1], rows[2]};
    for (int first = 0; first < n; first += LAB_BLOCK) {
        int count = n - first < LAB_BLOCK ? n - first : LAB_BLOCK;
        const float *const block[3] = {rgb[0] + first, rgb[1] + first, rgb[2] + first};
        cofi_lab_of_values(&f->colour, block, count, lab);
        cofi_label_row(palette, &f->colour.kernels, read, count, labels + first);
    }
}

static void relabel_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Relabelling *r = context;
    CofiFilter *f = r->filter;
    for (int y = first; y < last; y++) {
        ptrdiff_t at = (ptrdiff_t)y * f->view.width;
        const float *values[COF_MAX_BANDS];
        for (int band = 0; band < f->bands; band++)
            values[band] = f->sets[f->latest][band] + at;
        if (r->palette->family == COF_KIND_RGB && !f->lab)
            relabel_rgb(f, r->palette, values, f->view.width, f->labels + at);
        else
            cofi_label_row(r->palette, &f->colour.kernels, values, f->view.width, f->labels + at);
    }
}

CofStatus cofi_filter_relabel(CofiFilter *f, const CofiPalette *palette)
{
    assert(!f->job.guide && f->passes > 0);
    if (f->device)
        return cofi_device_filter_relabel(f, palette);
    assert(f->latest >= 0);
    cofi_call_stage(f->call, COF_STAGE_LABELS);
    Relabelling relabelling = {f, palette};
    return cofi_call_rows(f->call, f->view.height, 1, relabel_rows, &relabelling);
}
