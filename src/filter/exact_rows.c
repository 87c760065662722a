/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a pass that are filtered exactly: in floats, and 8-bit grey in fixed point. */
#include "filter/exact_rows.h"

#include <limits.h>
#include <string.h>

#include "image/image.h"
#include "learn/label_row.h"

typedef CofiFilterWorker Worker;

/* Whether labels may be values of 8-bit grey: those of the input, and as they were found. */
static bool has_grey(const CofiFilter *f, const CofiFilterMember *member)
{
    return f->colour.kernels.grey_row && member->grey.matrix && f->latest < 0;
}

bool cofi_exact_has_values(const CofiFilter *f, const CofiFilterMember *member,
                           const CofModel *model)
{
    return model->palette.type == COFI_PALETTE_BINS && model->palette.k > COFI_FEW_LABELS &&
           has_grey(f, member);
}

static void fill_values(const CofiFilter *f, CofiWeights *weights, const CofModel *model)
{
    float values[256];
    uint8_t labels[256];
    const float *const features[1] = {values};
    for (int i = 0; i < 256; i++)
        values[i] = (float)i;
    cofi_label_row(&model->palette, &f->colour.kernels, features, 256, labels);
    cofi_weights_fill_values(weights, model->matrix, model->palette.k, labels);
}

CofiExact cofi_exact_start(const CofiFilter *f, CofiFilterMember *member, const CofModel *model,
                           bool values)
{
    bool grey = values || model->palette.type == COFI_PALETTE_EXACT;
    CofiExact exact = {.filter = f,
                       .member = member,
                       .k = values ? 256 : model->palette.k,
                       .gaps = cofi_filter_source(f).gaps,
                       .grey = grey && has_grey(f, member)};
    if (values)
        fill_values(f, &member->weights, model);
    else
        cofi_weights_fill(&member->weights, model->matrix, exact.k);
    if (exact.grey)
        cofi_grey_weights_fill(&member->grey, &member->weights);
    return exact;
}

/* The line buffer of the fast filter has more rows and columns than the windows, so many on each
 * side. */
static int margin_of(const CofiExact *e, const CofiLineBuffer *lines)
{
    return lines->radius - e->filter->radius;
}

static CofiTaps taps_of(const CofiExact *e, const CofiLineBuffer *lines)
{
    const CofiFilter *f = e->filter;
    int beyond = margin_of(e, lines);
    const CofiWeights *weights = &e->member->weights;
    return (CofiTaps){.matrix = weights->matrix,
                      .bytes = weights->bytes,
                      .k = e->k,
                      .radius = f->radius,
                      .gauss = weights->gauss,
                      .weights = weights->window + COFI_WEIGHT_MARGIN,
                      .weight_stride = weights->stride,
                      .labels = lines->label_rows + beyond,
                      .n_bands = f->bands,
                      .alphas = lines->alpha_rows + beyond,
                      .stride = lines->stride};
}

/* Columns of a row whose windows lie inside the image, where all alphas are 1. */
static void plain_columns(const CofiExact *e, const CofiLineBuffer *lines, int y, int *first,
                          int *last)
{
    const CofiFilter *f = e->filter;
    CofRect full = cofi_full_rect(f->job.in);
    int x = f->view.x + lines->tile.x, full_y = f->view.y + y, n = lines->tile.width;
    bool rows = full_y >= f->radius && full_y + f->radius < full.height;
    int left = f->radius - x, right = full.width - f->radius - x;
    *first = left < 0 ? 0 : left > n ? n : left;
    *last = right > n ? n : right;
    if (e->gaps || !rows || *last < *first)
        *first = *last = 0;
}

/* Filters pixels first..end-1 in floats. */
static void filter_floats(const CofiExact *e, Worker *worker, int y, int first, int end,
                          float *const *values)
{
    const CofiLineBuffer *lines = &worker->lines;
    CofiTaps taps = taps_of(e, lines);
    taps.columns = cofi_filter_columns(e->filter, worker);
    taps.column_stride = e->filter->column_stride;
    int starts[4] = {0, 0, 0, lines->tile.width};
    plain_columns(e, lines, y, &starts[1], &starts[2]);
    for (int part = 0; part < 3; part++) {
        int x = starts[part] > first ? starts[part] : first;
        int n = (starts[part + 1] < end ? starts[part + 1] : end) - x;
        float *at[COF_MAX_BANDS];
        for (int band = 0; band < e->filter->bands; band++)
            at[band] = values[band] + x;
        taps.plain = part == 1;
        if (n > 0)
            e->filter->colour.kernels.filter_row(&taps, margin_of(e, lines) + x, n, at,
                                                 worker->has_weight + x);
    }
}

/* Pixels outside of the image have no weight, unless the border shows pixels of the inside. */
static CofiGreyTaps grey_taps_of(const CofiExact *e, const Worker *worker, int y)
{
    const CofiFilter *f = e->filter;
    const CofiLineBuffer *lines = &worker->lines;
    CofRect full = cofi_full_rect(f->job.in);
    bool clip = f->job.border == COF_BORDER_CLIP;
    const CofiGreyWeights *grey = &e->member->grey;
    int x = f->view.x + lines->tile.x - lines->radius, side = 2 * f->radius + 1;
    int above = f->radius - (f->view.y + y), below = full.height - (f->view.y + y) + f->radius;
    return (CofiGreyTaps){.matrix = grey->matrix,
                          .radius = f->radius,
                          .gauss = e->member->weights.gauss,
                          .labels = lines->label_rows + margin_of(e, lines),
                          .top = clip && above > 0 ? above : 0,
                          .bottom = clip && below < side ? below : side,
                          .left = clip ? -x : 0,
                          .right = clip ? full.width - x : INT_MAX,
                          .error = grey->error,
                          .scratch = grey->scratch + (worker - f->workers) * COFI_GREY_SCRATCH};
}

/* `alphas` are the rows of the window. */
static bool column_has_gap(const float *const *alphas, const CofiGreyTaps *taps, int column)
{
    if (column < taps->left || column >= taps->right)
        return false;
    for (int row = taps->top; row < taps->bottom; row++)
        if (alphas[row][column] < 1)
            return true;
    return false;
}

/* Clears exact[i] where a pixel of the window has no data. It depends on the window alone, so that
 * tiles without such pixels need not know of those of other tiles. */
static void clear_beside_gaps(const CofiExact *e, const CofiLineBuffer *lines,
                              const CofiGreyTaps *taps, uint8_t *exact)
{
    int side = 2 * taps->radius + 1, last_gap = -1, margin = margin_of(e, lines);
    for (int column = 0; column < lines->tile.width + side - 1; column++) {
        int i = column - side + 1; /* whose window ends here */
        if (column_has_gap(lines->alpha_rows + margin, taps, margin + column))
            last_gap = column;
        if (i >= 0 && last_gap >= i)
            exact[i] = 0;
    }
}

/* Filters a row in fixed point, and in floats where that is not exact enough. */
static void filter_grey(const CofiExact *e, Worker *worker, int y, float *const *values)
{
    CofiGreyTaps taps = grey_taps_of(e, worker, y);
    uint8_t *exact = worker->has_weight;
    int n = worker->lines.tile.width;
    e->filter->colour.kernels.grey_row(&taps, margin_of(e, &worker->lines), n, values[0], exact);
    if (e->gaps)
        clear_beside_gaps(e, &worker->lines, &taps, exact);
    for (int i = 0; i < n;) {
        const uint8_t *found = memchr(exact + i, 0, (size_t)(n - i));
        int first = found ? (int)(found - exact) : n;
        for (i = first; i < n && !exact[i];)
            i++;
        if (i > first)
            filter_floats(e, worker, y, first, i, values);
    }
}

void cofi_exact_row(const CofiExact *e, Worker *worker, int y, float *const *values)
{
    if (e->grey)
        filter_grey(e, worker, y, values);
    else
        filter_floats(e, worker, y, 0, worker->lines.tile.width, values);
}

void cofi_exact_pixels(const CofiExact *e, Worker *worker, int y, int first, int n,
                       float *const *values)
{
    const CofiFilter *f = e->filter;
    CofiTaps taps = taps_of(e, &worker->lines);
    int plain_first, plain_last;
    plain_columns(e, &worker->lines, y, &plain_first, &plain_last);
    taps.plain = first >= plain_first && first + n <= plain_last;
    float *at[COF_MAX_BANDS];
    for (int band = 0; band < f->bands; band++)
        at[band] = values[band] + first;
    f->colour.kernels.filter_row(&taps, margin_of(e, &worker->lines) + first, n, at,
                                 worker->has_weight + first);
}
