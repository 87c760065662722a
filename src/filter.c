/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter (eq. 11): J_p = sum_q G M(T_p, T_q) I_q / sum_q G M(T_p, T_q). */
#include "filter.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "image.h"

/* A weight this much smaller than the largest possible one is none: along each axis, and in a row
 * of M. It keeps products within the range of single precision. */
#define SMALLEST_WEIGHT 0x1p-60

/* All weights are scaled by this, so that 255 of the largest floats can be added. */
#define WEIGHT_SCALE 0x1p-8

int cofi_filter_margin(int window, int iterations)
{
    return window / 2 * iterations;
}

static ptrdiff_t index_of(const CofiFilter *f, int x, int y)
{
    return y * f->stride + x;
}

/* Planes with a border; NULL without memory. */
static void *take_plane(CofiFilter *f, size_t size)
{
    size_t rows = (size_t)f->view.height + 2 * (size_t)f->radius, row_size;
    if (!cofi_mul((size_t)f->stride, size, &row_size))
        return NULL;
    unsigned char *plane = cofi_run_take(f->run, rows, row_size);
    return plane ? plane + (f->radius * f->stride + f->radius) * (ptrdiff_t)size : NULL;
}

static CofStatus take_planes(CofiFilter *f)
{
    for (int band = 0; band < f->bands; band++) {
        f->now[band] = take_plane(f, sizeof(float));
        f->next[band] = take_plane(f, sizeof(float));
        if (!f->now[band] || !f->next[band])
            return COF_ERR_MEMORY;
    }
    size_t width = (size_t)f->view.width, height = (size_t)f->view.height;
    f->labels = take_plane(f, sizeof *f->labels);
    f->votes = take_plane(f, sizeof *f->votes);
    f->live = cofi_run_take(f->run, width, height);
    f->moved = cofi_run_take(f->run, width, height);
    f->changes = cofi_run_take(f->run, height, sizeof *f->changes);
    f->matrix = cofi_run_take(f->run, COF_MAX_COLOURS * COF_MAX_COLOURS, sizeof *f->matrix);
    f->gauss = cofi_run_take(f->run, 2 * (size_t)f->radius + 1, sizeof *f->gauss);
    bool all = f->labels && f->votes && f->live && f->moved && f->changes && f->matrix && f->gauss;
    return all ? COF_OK : COF_ERR_MEMORY;
}

static void fill_gauss(CofiFilter *f)
{
    for (int d = -f->radius; d <= f->radius; d++) {
        double weight = exp(-d * d / (2 * f->job.sigma * f->job.sigma));
        f->gauss[d + f->radius] = weight < SMALLEST_WEIGHT ? 0 : (float)(weight * WEIGHT_SCALE);
    }
}

/* The pixel of 0..n-1 that stands at i, which may be far outside. */
static int64_t folded(int64_t i, int64_t n, CofBorder border)
{
    if (i >= 0 && i < n)
        return i;
    if (border == COF_BORDER_CLIP)
        return -1;
    int64_t period = border == COF_BORDER_MIRROR ? 2 * n : 2 * n - 2;
    if (period == 0)
        return 0;
    i = (i % period + period) % period;
    return i < n ? i : (border == COF_BORDER_MIRROR ? period - 1 - i : period - i);
}

/* Of each column (or row) of a plane with its border: the column of the view that it shows. */
static const int *take_origins(CofiFilter *f, int first, int n, int full)
{
    int *origins = cofi_run_take(f->run, (size_t)n + 2 * (size_t)f->radius, sizeof *origins);
    for (int i = 0; origins && i < n + 2 * f->radius; i++) {
        int64_t at = folded((int64_t)first + i - f->radius, full, f->job.border) - first;
        origins[i] = at >= 0 && at < n ? (int)at : -1;
    }
    return origins;
}

/* Pixels first..last-1 of row y, each from the pixel of the view that it shows. */
static void fill_border_row(const CofiFilter *f, unsigned char *plane, size_t size, int y,
                            int first, int last)
{
    int from_y = f->from_y[y + f->radius];
    for (int x = first; x < last && from_y >= 0; x++) {
        int from_x = f->from_x[x + f->radius];
        if (from_x >= 0)
            memcpy(plane + index_of(f, x, y) * (ptrdiff_t)size,
                   plane + index_of(f, from_x, from_y) * (ptrdiff_t)size, size);
    }
}

/* Copies the inside of a plane to its border. `size` bytes a pixel. */
static void fill_border(const CofiFilter *f, void *plane, size_t size)
{
    if (f->job.border == COF_BORDER_CLIP)
        return;
    int r = f->radius, width = f->view.width, height = f->view.height;
    for (int y = -r; y < height + r; y++) {
        bool inside = y >= 0 && y < height;
        fill_border_row(f, plane, size, y, -r, inside ? 0 : width);
        fill_border_row(f, plane, size, y, width, width + r);
    }
}

static void fill_value_borders(CofiFilter *f)
{
    for (int band = 0; band < f->bands; band++)
        fill_border(f, f->now[band], sizeof *f->now[band]);
}

/* Votes are alpha where there is data. */
static void load_votes(const CofiFilter *f, const CofImage *in, int x, int y, int row)
{
    int n = f->view.width;
    float *votes = f->votes + index_of(f, 0, row);
    uint8_t *live = f->live + (ptrdiff_t)row * n;
    memset(live, 1, (size_t)n);
    cofi_valid_row(in, x, y, n, live);
    if (cofi_has_alpha(in)) {
        float full = (float)cofi_sample_max(in->sample);
        cofi_load_row(in, in->channels - 1, x, y, n, votes);
        for (int i = 0; i < n; i++)
            votes[i] = votes[i] <= 0 ? 0 : votes[i] >= full ? 1 : votes[i] / full;
    } else {
        for (int i = 0; i < n; i++)
            votes[i] = 1;
    }
    for (int i = 0; i < n; i++)
        if (!live[i])
            votes[i] = 0;
}

static void load_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    CofiFilter *f = context;
    const CofImage *in = f->job.in;
    int x = f->view.x - in->x, n = f->view.width;
    for (int row = first; row < last; row++) {
        int y = f->view.y - in->y + row;
        float *planes[COF_MAX_BANDS];
        for (int band = 0; band < f->bands; band++)
            planes[band] = f->now[band] + index_of(f, 0, row);
        if (f->lab)
            cofi_lab_row(&f->colour, in, x, y, n, planes);
        else
            for (int band = 0; band < f->bands; band++)
                cofi_load_row(in, band, x, y, n, planes[band]);
        load_votes(f, in, x, y, row);
    }
}

CofStatus cofi_filter_open(CofiFilter *filter, CofiRun *run, const CofiFilterJob *job)
{
    CofiFilter *f = filter;
    const CofImage *in = job->in;
    *f = (CofiFilter){.run = run, .job = *job, .radius = job->window / 2};
    cofi_run_stage(run, COF_STAGE_COLOUR);
    f->bands = cofi_bands(in);
    f->lab = cofi_family(in->kind) == COF_RGB && job->space == COF_SPACE_LAB;
    f->view = cofi_rect_grow(job->part, cofi_filter_margin(job->window, job->iterations),
                             cofi_full_rect(in));
    f->stride = (ptrdiff_t)f->view.width + 2 * f->radius;
    f->from_x = take_origins(f, f->view.x, f->view.width, in->full_width);
    f->from_y = take_origins(f, f->view.y, f->view.height, in->full_height);
    CofStatus status = f->from_x && f->from_y ? take_planes(f) : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_colour_init(&f->colour, run, in, (double)f->view.width * f->view.height);
    if (status == COF_OK)
        status = cofi_run_rows(run, f->view.height, 1, load_rows, f);
    if (status != COF_OK)
        return status;
    fill_gauss(f);
    fill_value_borders(f);
    return COF_OK;
}

/* A second image can only take data away. */
static void restrict_to_valid(CofiFilter *f, const CofImage *image)
{
    int x = f->view.x - f->job.in->x, y = f->view.y - f->job.in->y, n = f->view.width;
    for (int row = 0; row < f->view.height; row++) {
        uint8_t *live = f->live + (ptrdiff_t)row * n;
        float *votes = f->votes + index_of(f, 0, row);
        cofi_valid_row(image, x, y + row, n, live);
        for (int i = 0; i < n; i++)
            if (!live[i])
                votes[i] = 0;
    }
}

static void finish_labels(CofiFilter *f)
{
    fill_border(f, f->labels, sizeof *f->labels);
    fill_border(f, f->votes, sizeof *f->votes);
}

CofStatus cofi_filter_label(CofiFilter *f, const CofiPalette *palette, const CofImage *guide)
{
    bool planes_will_do = !guide && (f->lab || palette->family != COF_RGB);
    if (planes_will_do)
        return cofi_filter_relabel(f, palette);
    cofi_run_stage(f->run, COF_STAGE_LABELS);
    if (guide)
        restrict_to_valid(f, guide);
    CofRect rect = {f->view.x - f->job.in->x, f->view.y - f->job.in->y, f->view.width,
                    f->view.height};
    CofStatus status =
        cofi_label_image(f->run, palette, guide ? guide : f->job.in, rect, f->labels, f->stride, 1);
    if (status == COF_OK)
        finish_labels(f);
    return status;
}

CofStatus cofi_filter_label_given(CofiFilter *f, int k, const CofImage *labels)
{
    cofi_run_stage(f->run, COF_STAGE_LABELS);
    restrict_to_valid(f, labels);
    int x0 = f->view.x - f->job.in->x, y0 = f->view.y - f->job.in->y;
    for (int y = 0; y < f->view.height; y++) {
        const unsigned char *given = cofi_pixel(labels, x0, y0 + y);
        const uint8_t *live = f->live + (ptrdiff_t)y * f->view.width;
        uint8_t *row = f->labels + index_of(f, 0, y);
        for (int x = 0; x < f->view.width; x++) {
            uint8_t label = given[x * labels->step];
            if (label >= k && live[x])
                return cofi_run_fail(f->run, COF_ERR_MISMATCH,
                                     "a label is not below the size of the model");
            row[x] = label < k ? label : 0;
        }
    }
    finish_labels(f);
    return COF_OK;
}

typedef struct Relabelling {
    CofiFilter *filter;
    const CofiPalette *palette;
} Relabelling;

/* Pixels whose Lab is on the stack at once. */
#define BLOCK 128

/* RGB that is averaged as it is has still to be compared in Lab. */
static void relabel_rgb(const CofiFilter *f, const CofiPalette *palette, const float *const *rgb,
                        int n, uint8_t *labels)
{
    float rows[3][BLOCK];
    float *const lab[3] = {rows[0], rows[1], rows[2]};
    const float *const read[3] = {rows[0], rows[1], rows[2]};
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
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
        const float *values[COF_MAX_BANDS];
        for (int band = 0; band < f->bands; band++)
            values[band] = f->now[band] + index_of(f, 0, y);
        uint8_t *labels = f->labels + index_of(f, 0, y);
        if (r->palette->family == COF_RGB && !f->lab)
            relabel_rgb(f, r->palette, values, f->view.width, labels);
        else
            cofi_label_row(r->palette, &f->colour.kernels, values, f->view.width, labels);
    }
}

CofStatus cofi_filter_relabel(CofiFilter *f, const CofiPalette *palette)
{
    cofi_run_stage(f->run, COF_STAGE_LABELS);
    Relabelling relabelling = {f, palette};
    CofStatus status = cofi_run_rows(f->run, f->view.height, 1, relabel_rows, &relabelling);
    if (status == COF_OK)
        finish_labels(f);
    return status;
}

/* M in single precision, each row relative to its largest: the filter divides by its sum anyway. */
static void fill_matrix(const CofiFilter *f, const CofModel *model)
{
    int k = model->palette.k;
    for (int a = 0; a < k; a++) {
        const double *row = model->matrix + (ptrdiff_t)a * k;
        double largest = 0;
        for (int b = 0; b < k; b++)
            largest = fmax(largest, row[b]);
        for (int b = 0; b < k; b++) {
            double weight = largest > 0 ? row[b] / largest : 0;
            f->matrix[a * k + b] = weight < SMALLEST_WEIGHT ? 0 : (float)weight;
        }
    }
}

typedef struct Pass {
    CofiFilter *filter;
    CofiTaps taps;
    CofRect rect; /* in coordinates of the view */
    CofRect part; /* the same: where change is measured */
    double units[COF_MAX_BANDS];
} Pass;

/* Working values to 8-bit units. */
static double unit_of(const CofiFilter *f, int band)
{
    const CofImage *in = f->job.in;
    if (f->lab)
        return band == 0 ? 2.55 : 1;
    if (in->sample == COF_F32 && in->kind == COF_BANDS)
        return 1;
    return 255 / cofi_sample_max(in->sample);
}

static double row_change(const Pass *pass, int y)
{
    const CofiFilter *f = pass->filter;
    double sum = 0;
    for (int band = 0; band < f->bands; band++) {
        const float *now = f->now[band] + index_of(f, pass->part.x, y);
        const float *next = f->next[band] + index_of(f, pass->part.x, y);
        double squares = 0;
        for (int x = 0; x < pass->part.width; x++) {
            double d = (double)next[x] - (double)now[x];
            squares += d * d;
        }
        sum += squares * pass->units[band] * pass->units[band];
    }
    return sum;
}

static void pass_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Pass *pass = context;
    CofiFilter *f = pass->filter;
    int n = pass->rect.width;
    for (int y = pass->rect.y + first; y < pass->rect.y + last; y++) {
        ptrdiff_t at = index_of(f, pass->rect.x, y);
        float *next[COF_MAX_BANDS];
        for (int band = 0; band < f->bands; band++)
            next[band] = f->next[band] + at;
        ptrdiff_t place = (ptrdiff_t)y * f->view.width + pass->rect.x;
        const uint8_t *live = f->live + place;
        uint8_t mixed[BLOCK];
        for (int x = 0; x < n; x += BLOCK) {
            int count = n - x < BLOCK ? n - x : BLOCK;
            f->colour.kernels.filter_row(&pass->taps, at + x, count, next, mixed);
            for (int i = 0; i < count; i++)
                mixed[i] &= live[x + i];
            for (int band = 0; band < f->bands; band++) {
                for (int i = 0; i < count; i++)
                    if (!mixed[i])
                        next[band][i] = f->now[band][at + x + i];
                next[band] += count;
            }
            for (int i = 0; i < count; i++)
                f->moved[place + x + i] |= mixed[i];
        }
        bool measured = y >= pass->part.y && y < pass->part.y + pass->part.height;
        f->changes[y] = measured ? row_change(pass, y) : 0;
    }
}

static CofRect in_view(const CofiFilter *f, CofRect rect)
{
    rect.x -= f->view.x;
    rect.y -= f->view.y;
    return rect;
}

/* Over the valid values of the part, row after row. */
static double mean_change(const CofiFilter *f, CofRect part)
{
    double sum = 0, values = 0;
    for (int y = part.y; y < part.y + part.height; y++) {
        sum += f->changes[y];
        for (int x = part.x; x < part.x + part.width; x++)
            values += f->live[(ptrdiff_t)y * f->view.width + x];
    }
    return values > 0 ? sum / (values * f->bands) : 0;
}

CofStatus cofi_filter_pass(CofiFilter *f, const CofModel *model, int left, double *change)
{
    cofi_run_stage(f->run, COF_STAGE_FILTER);
    fill_matrix(f, model);
    CofRect full = cofi_full_rect(f->job.in);
    CofRect rect = cofi_rect_grow(f->job.part, cofi_filter_margin(f->job.window, left), full);
    const float *now[COF_MAX_BANDS];
    memcpy(now, f->now, sizeof now);
    Pass pass = {.filter = f,
                 .rect = in_view(f, rect),
                 .part = in_view(f, f->job.part),
                 .taps = {.matrix = f->matrix,
                          .k = model->palette.k,
                          .gauss = f->gauss,
                          .radius = f->radius,
                          .labels = f->labels,
                          .votes = f->votes,
                          .bands = now,
                          .n_bands = f->bands,
                          .stride = f->stride}};
    for (int band = 0; band < f->bands; band++)
        pass.units[band] = unit_of(f, band);
    CofStatus status = cofi_run_rows(f->run, rect.height, COFI_PASS_UNITS, pass_rows, &pass);
    if (status != COF_OK)
        return status;
    for (int band = 0; band < f->bands; band++) {
        float *swap = f->now[band];
        f->now[band] = f->next[band];
        f->next[band] = swap;
    }
    fill_value_borders(f);
    *change = mean_change(f, pass.part);
    return COF_OK;
}

static void store_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    CofiFilter *f = context;
    const CofImage *in = f->job.in, *out = f->job.out;
    CofRect part = f->job.part, inside = in_view(f, part);
    int in_x = part.x - in->x, out_x = part.x - out->x;
    for (int i = first; i < last; i++) {
        int in_y = part.y - in->y + i, out_y = part.y - out->y + i;
        const uint8_t *moved = f->moved + (ptrdiff_t)(inside.y + i) * f->view.width + inside.x;
        const float *values[COF_MAX_BANDS];
        for (int band = 0; band < f->bands; band++) {
            values[band] = f->now[band] + index_of(f, inside.x, inside.y + i);
            cofi_copy_row(in, in_x, in_y, out, out_x, out_y, band, part.width, moved);
        }
        if (f->lab)
            cofi_store_lab_row(&f->colour, out, out_x, out_y, part.width, values, moved);
        else
            for (int band = 0; band < f->bands; band++)
                cofi_store_values_row(out, band, out_x, out_y, part.width, values[band], moved);
        if (cofi_has_alpha(in))
            cofi_copy_row(in, in_x, in_y, out, out_x, out_y, in->channels - 1, part.width, NULL);
    }
}

void cofi_filter_store(CofiFilter *f)
{
    cofi_run_stage(f->run, COF_STAGE_BACK);
    int (*progress)(void *, double) = f->run->options.progress;
    f->run->options.progress = NULL;
    cofi_run_rows(f->run, f->job.part.height, 1, store_rows, f);
    f->run->options.progress = progress;
}
