/* SPDX-License-Identifier: BSD-2-Clause */
/* The line buffer of the filter: the rows that a window covers while it moves down a tile. */
#include "filter/line_buffer.h"

#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "image/image.h"

#define MIN_TILE 512
#define CACHE_BYTES ((size_t)1 << 20)

static int slots_of(int radius)
{
    return 2 * radius + 1;
}

static size_t bytes_per_column(const CofiSource *source, int radius)
{
    size_t planes = 1 + (size_t)source->bands + (source->gaps ? (size_t)source->bands : 0);
    size_t bytes = (size_t)source->n_labels + (source->gaps ? 1 : 0);
    return (size_t)slots_of(radius) * (planes * sizeof(float) + bytes);
}

int cofi_line_buffer_width(const CofiSource *source, int radius)
{
    assert(radius >= 0 && source->rect.width >= 1);
    size_t columns = CACHE_BYTES / bytes_per_column(source, radius);
    int widest = columns < MIN_TILE ? MIN_TILE : (int)columns;
    int width = source->rect.width;
    /* All tiles have about the same width. */
    int tiles = (width - 1) / widest + 1;
    return (width - 1) / tiles + 1;
}

/* An odd number of cache lines: rows that are a power of two apart would compete for the same sets
 * of the first-level cache. */
static ptrdiff_t stride_of(int width, int radius)
{
    ptrdiff_t lines = ((ptrdiff_t)width + 2 * radius + COFI_OVERREAD + 15) / 16;
    return 16 * (lines | 1);
}

/* One more slot holds zeros, for rows beyond the image. */
static size_t rows_of(int radius)
{
    return (size_t)slots_of(radius) + 1;
}

static size_t pointers_size(const CofiSource *source, int radius)
{
    size_t pointers = (1 + (size_t)source->n_labels) * (size_t)slots_of(radius);
    return (pointers * sizeof(void *) + 63) / 64 * 64;
}

size_t cofi_line_buffer_size(const CofiSource *source, int radius, int width)
{
    size_t stride = (size_t)stride_of(width, radius);
    size_t pixel = bytes_per_column(source, radius) / (size_t)slots_of(radius);
    return pointers_size(source, radius) + rows_of(radius) * stride * pixel;
}

void cofi_line_buffer_start(CofiLineBuffer *lines, void *memory, const CofiSource *source,
                            int radius, int width, CofRect tile)
{
    assert(tile.width >= 1 && tile.width <= width);
    size_t stride = (size_t)stride_of(width, radius);
    size_t area = rows_of(radius) * stride, bands = (size_t)source->bands;
    *lines = (CofiLineBuffer){.source = source, .radius = radius, .tile = tile};
    lines->stride = (ptrdiff_t)stride;
    lines->all_rows = lines->label_rows = memory;
    lines->alpha_rows =
        (const float **)(lines->label_rows + (ptrdiff_t)source->n_labels * slots_of(radius));
    lines->values = (float *)((unsigned char *)memory + pointers_size(source, radius));
    lines->plain = source->gaps ? lines->values + area * (1 + bands) : NULL;
    lines->labels = (uint8_t *)(lines->values + area * (1 + bands + (source->gaps ? bands : 0)));
    lines->valid = source->gaps ? lines->labels + area * (size_t)source->n_labels : NULL;
    lines->first = lines->loaded = tile.y - radius > 0 ? tile.y - radius : 0;
}

/* The slot of a row of the source. */
static ptrdiff_t slot_of(const CofiLineBuffer *lines, int y)
{
    return y % slots_of(lines->radius);
}

static float *plane_row(const CofiLineBuffer *lines, float *planes, int n_planes, int plane,
                        ptrdiff_t slot)
{
    return planes + (slot * n_planes + plane) * lines->stride;
}

static float *values_row(const CofiLineBuffer *lines, int plane, ptrdiff_t slot)
{
    return plane_row(lines, lines->values, 1 + lines->source->bands, plane, slot);
}

static uint8_t *labels_row(const CofiLineBuffer *lines, int palette, ptrdiff_t slot)
{
    ptrdiff_t rows = (ptrdiff_t)rows_of(lines->radius);
    return lines->labels + (palette * rows + slot) * lines->stride;
}

static float *plain_row(const CofiLineBuffer *lines, int band, ptrdiff_t slot)
{
    return lines->plain ? plane_row(lines, lines->plain, lines->source->bands, band, slot)
                        : values_row(lines, 1 + band, slot);
}

/* The index in 0..n-1 that the border rule gives for i, which may be far outside; -1: none. */
static int64_t border_index(int64_t i, int64_t n, CofBorder border)
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

/* The column of the source that column x shows; -1: none. */
static int border_column(const CofiSource *s, int x)
{
    int64_t at = border_index((int64_t)s->rect.x + x, s->in->full_width, s->border) - s->rect.x;
    return at >= 0 && at < s->rect.width ? (int)at : -1;
}

static int border_row(const CofiSource *s, int y)
{
    int64_t at = border_index((int64_t)s->rect.y + y, s->in->full_height, s->border) - s->rect.y;
    return at >= 0 && at < s->rect.height ? (int)at : -1;
}

/* Lab of 8-bit RGB always goes through packing, so that it does not matter whether it was kept. */
static void load_lab(const CofiSource *s, int x, int y, int n, float *const *rows)
{
    enum { BLOCK = 256 };
    int in_x = s->rect.x - s->in->x + x, in_y = s->rect.y - s->in->y + y;
    ptrdiff_t at = (ptrdiff_t)y * s->rect.width + x;
    if (s->packed) {
        CofiPackedLab packed = cofi_packed_from(s->packed, at);
        s->colour->kernels.unpack_lab(&packed, n, rows);
        return;
    }
    cofi_lab_row(s->colour, s->in, in_x, in_y, n, rows);
    for (int first = 0; first < n && s->in->sample == COF_SAMPLE_U8; first += BLOCK) {
        int16_t high[3][BLOCK];
        uint8_t low[3][BLOCK];
        CofiPackedLab packed = {{high[0], high[1], high[2]}, {low[0], low[1], low[2]}};
        float *const lab[3] = {rows[0] + first, rows[1] + first, rows[2] + first};
        const float *const read[3] = {lab[0], lab[1], lab[2]};
        int count = n - first < BLOCK ? n - first : BLOCK;
        s->colour->kernels.pack_lab(read, count, &packed);
        s->colour->kernels.unpack_lab(&packed, count, lab);
    }
}

static void load_input(const CofiSource *s, int x, int y, int n, float *const *rows)
{
    int in_x = s->rect.x - s->in->x + x, in_y = s->rect.y - s->in->y + y;
    if (s->lab)
        load_lab(s, x, y, n, rows);
    else
        for (int band = 0; band < s->bands; band++)
            cofi_load_row(s->in, band, in_x, in_y, n, rows[band]);
}

static void subtract(float *restrict row, const float *restrict values, int n)
{
    for (int i = 0; i < n; i++)
        row[i] = cofi_to_finite(row[i] - values[i]);
}

static void load_source(const CofiSource *s, int x, int y, int n, float *const *rows)
{
    size_t bytes = (size_t)n * sizeof(float);
    if (!s->planes || s->residual)
        load_input(s, x, y, n, rows);
    for (int band = 0; band < s->bands && s->planes; band++) {
        const float *values = s->planes[band] + (ptrdiff_t)y * s->rect.width + x;
        if (s->residual)
            subtract(rows[band], values, n);
        else
            memcpy(rows[band], values, bytes);
    }
}

/* Alphas are 0 where there is no data. If all are 1, each slot is filled only once. */
static void load_alphas(const CofiLineBuffer *lines, int x, int y, int n, float *alphas,
                        uint8_t *valid)
{
    const CofiSource *s = lines->source;
    if (!s->gaps && y >= lines->first + slots_of(lines->radius))
        return;
    const CofImage *in = s->in;
    int in_x = s->rect.x - in->x + x, in_y = s->rect.y - in->y + y;
    float full = (float)cofi_sample_max(in->sample);
    if (cofi_has_alpha(in)) {
        cofi_load_row(in, in->channels - 1, in_x, in_y, n, alphas);
        for (int i = 0; i < n; i++)
            alphas[i] = alphas[i] <= 0 ? 0 : alphas[i] >= full ? 1 : alphas[i] / full;
    } else {
        for (int i = 0; i < n; i++)
            alphas[i] = 1;
    }
    if (!s->gaps)
        return;
    memset(valid, 1, (size_t)n);
    cofi_valid_row(in, in_x, in_y, n, valid);
    if (s->guide)
        cofi_valid_row(s->guide, in_x, in_y, n, valid);
    for (int i = 0; i < n; i++)
        if (!valid[i])
            alphas[i] = 0;
}

/* Copies a pixel of a slot to a border column. */
static void copy_column(const CofiLineBuffer *lines, ptrdiff_t slot, int to, int from)
{
    for (int plane = 0; plane <= lines->source->bands; plane++) {
        float *row = values_row(lines, plane, slot);
        row[to] = row[from];
    }
    for (int i = 0; i < lines->source->n_labels; i++) {
        uint8_t *labels = labels_row(lines, i, slot);
        labels[to] = labels[from];
    }
}

static void clear_columns(const CofiLineBuffer *lines, ptrdiff_t slot, int begin, int end)
{
    if (begin >= end)
        return;
    size_t n = (size_t)(end - begin);
    for (int plane = 0; plane <= lines->source->bands; plane++)
        memset(values_row(lines, plane, slot) + begin, 0, n * sizeof(float));
    for (int i = 0; i < lines->source->n_labels; i++)
        memset(labels_row(lines, i, slot) + begin, 0, n);
}

/* Fills the columns of a slot that lie beyond the image. */
static void fill_borders(const CofiLineBuffer *lines, ptrdiff_t slot, int left, int right)
{
    int before = lines->tile.x - lines->radius, end = lines->tile.width + 2 * lines->radius;
    if (lines->source->border == COF_BORDER_CLIP) {
        clear_columns(lines, slot, 0, left - before);
        clear_columns(lines, slot, right - before, end);
        return;
    }
    for (int i = 0; i < end; i++) {
        int x = before + i;
        if (x >= left && x < right) {
            i = right - before - 1;
            continue;
        }
        int from = border_column(lines->source, x);
        if (from >= 0)
            copy_column(lines, slot, i, from - before);
        else
            clear_columns(lines, slot, i, i + 1);
    }
}

static void multiply_by_alphas(const CofiLineBuffer *lines, ptrdiff_t slot, int first, int n)
{
    const float *alphas = values_row(lines, 0, slot) + first;
    for (int band = 0; band < lines->source->bands; band++) {
        const float *plain = plain_row(lines, band, slot) + first;
        float *values = values_row(lines, 1 + band, slot) + first;
        for (int i = 0; i < n; i++)
            values[i] = plain[i] * alphas[i];
    }
}

/* Loads n labels of row y, from `left` on. Labels without data are arbitrary: they become 0. */
static void load_labels(const CofiLineBuffer *lines, int palette, int left, int y, int n,
                        uint8_t *labels, const uint8_t *valid)
{
    const CofiSource *s = lines->source;
    memcpy(labels, s->labels[palette] + (ptrdiff_t)y * s->rect.width + left, (size_t)n);
    for (int i = 0; valid && i < n; i++)
        if (!valid[i])
            labels[i] = 0;
}

static void load_row(CofiLineBuffer *lines, int y)
{
    const CofiSource *s = lines->source;
    ptrdiff_t slot = slot_of(lines, y);
    int before = lines->tile.x - lines->radius,
        after = lines->tile.x + lines->tile.width + lines->radius;
    int left = before > 0 ? before : 0, right = after < s->rect.width ? after : s->rect.width;
    int first = left - before, n = right - left;
    float *rows[COF_MAX_BANDS];
    for (int band = 0; band < s->bands; band++)
        rows[band] = plain_row(lines, band, slot) + first;
    load_source(s, left, y, n, rows);
    uint8_t *valid = s->gaps ? lines->valid + slot * lines->stride + first : NULL;
    load_alphas(lines, left, y, n, values_row(lines, 0, slot) + first, valid);
    if (s->gaps)
        multiply_by_alphas(lines, slot, first, n);
    for (int i = 0; i < s->n_labels; i++)
        load_labels(lines, i, left, y, n, labels_row(lines, i, slot) + first, valid);
    fill_borders(lines, slot, left, right);
}

/* Points to row i of the window, in all palettes. */
static void point_to_row(CofiLineBuffer *lines, int i, int y)
{
    int slots = slots_of(lines->radius), row = border_row(lines->source, y - lines->radius + i);
    ptrdiff_t slot = row < 0 ? slots : slot_of(lines, row);
    for (int palette = 0; palette < lines->source->n_labels; palette++)
        lines->all_rows[palette * slots + i] = labels_row(lines, palette, slot);
    lines->alpha_rows[i] = values_row(lines, 0, slot);
}

/* Rows stay in their slots, so that pointers to all but the last one can be moved up. */
static void move_pointers(CofiLineBuffer *lines)
{
    int slots = slots_of(lines->radius);
    size_t bytes = (size_t)(slots - 1) * sizeof(void *);
    for (int palette = 0; palette < lines->source->n_labels; palette++)
        memmove(lines->all_rows + palette * slots, lines->all_rows + palette * slots + 1, bytes);
    memmove(lines->alpha_rows, lines->alpha_rows + 1, bytes);
}

void cofi_line_buffer_move(CofiLineBuffer *lines, int y)
{
    assert(y >= lines->tile.y && y < lines->tile.y + lines->tile.height);
    const CofiSource *s = lines->source;
    int slots = slots_of(lines->radius);
    int bottom = y + lines->radius < s->rect.height ? y + lines->radius + 1 : s->rect.height;
    for (; lines->loaded < bottom; lines->loaded++)
        load_row(lines, lines->loaded);
    bool next = lines->pointed && y == lines->y + 1;
    if (next)
        move_pointers(lines);
    for (int i = next ? slots - 1 : 0; i < slots; i++)
        point_to_row(lines, i, y);
    lines->pointed = true;
    lines->y = y;
}

void cofi_line_buffer_prefetch(const CofiLineBuffer *lines, int part)
{
    const CofiSource *s = lines->source;
    int before = lines->tile.x - lines->radius,
        after = lines->tile.x + lines->tile.width + lines->radius;
    int left = before > 0 ? before : 0, right = after < s->rect.width ? after : s->rect.width;
    if (lines->loaded >= s->rect.height)
        return;
    ptrdiff_t at = (ptrdiff_t)lines->loaded * s->rect.width + left;
    size_t n = (size_t)(right - left);
    for (int i = part; i < s->n_labels; i += COFI_PREFETCH_PARTS)
        cofi_prefetch(s->labels[i] + at, n);
    for (int band = part; band < s->bands && s->planes; band += COFI_PREFETCH_PARTS)
        cofi_prefetch(s->planes[band] + at, n * sizeof(float));
    if (s->packed && (!s->planes || s->residual)) {
        cofi_prefetch(s->packed->high[part] + at, n * sizeof *s->packed->high[part]);
        cofi_prefetch(s->packed->low[part] + at, n * sizeof *s->packed->low[part]);
    }
}

void cofi_line_buffer_choose(CofiLineBuffer *lines, int palette)
{
    assert(palette >= 0 && palette < lines->source->n_labels);
    lines->label_rows = lines->all_rows + (ptrdiff_t)palette * slots_of(lines->radius);
}

const float *cofi_line_buffer_band(const CofiLineBuffer *lines, int band, int x, int y)
{
    assert(band >= 0 && band < lines->source->bands);
    assert(y < lines->loaded);
    return plain_row(lines, band, slot_of(lines, y)) + lines->radius + x;
}

const uint8_t *cofi_line_buffer_valid(const CofiLineBuffer *lines, int x, int y)
{
    if (!lines->source->gaps)
        return NULL;
    return lines->valid + slot_of(lines, y) * lines->stride + lines->radius + x;
}
