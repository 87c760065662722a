/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows that a window covers while it moves down a tile. */
#include "filter/line_buffer.h"

#include <string.h>

#include "image/image.h"

#define NARROWEST_TILE 512
#define CACHE_BYTES ((size_t)1 << 20)

static int slots_of(int radius)
{
    return 2 * radius + 1;
}

static size_t bytes_per_column(const CofiSource *source, int radius)
{
    size_t planes = 1 + (size_t)source->bands + (source->gaps ? (size_t)source->bands : 0);
    return (size_t)slots_of(radius) * (planes * sizeof(float) + (source->gaps ? 2 : 1));
}

int cofi_ring_width(const CofiSource *source, int radius)
{
    size_t columns = CACHE_BYTES / bytes_per_column(source, radius);
    int widest = columns < NARROWEST_TILE ? NARROWEST_TILE : (int)columns;
    int width = source->rect.width;
    /* Tiles of about the same width. */
    int tiles = (width - 1) / widest + 1;
    return (width - 1) / tiles + 1;
}

/* An odd number of cache lines: rows whose distance is a power of two would fight for the same few
 * lines of the first-level cache. */
static ptrdiff_t stride_of(int width, int radius)
{
    ptrdiff_t lines = ((ptrdiff_t)width + 2 * radius + COFI_OVERREAD + 15) / 16;
    return 16 * (lines | 1);
}

/* One more slot holds zeros: the rows beyond the image. */
static size_t rows_of(int radius)
{
    return (size_t)slots_of(radius) + 1;
}

static size_t pointers_size(int radius)
{
    size_t pointers = 2 * (size_t)slots_of(radius);
    return (pointers * sizeof(void *) + 63) / 64 * 64;
}

size_t cofi_ring_size(const CofiSource *source, int radius, int width)
{
    size_t stride = (size_t)stride_of(width, radius);
    size_t pixel = bytes_per_column(source, radius) / (size_t)slots_of(radius);
    return pointers_size(radius) + rows_of(radius) * stride * pixel;
}

void cofi_ring_start(CofiRing *ring, void *memory, const CofiSource *source, int radius, int width,
                     CofRect tile)
{
    size_t stride = (size_t)stride_of(width, radius);
    size_t area = rows_of(radius) * stride, bands = (size_t)source->bands;
    *ring = (CofiRing){.source = source, .radius = radius, .tile = tile};
    ring->stride = (ptrdiff_t)stride;
    ring->label_rows = memory;
    ring->vote_rows = (const float **)(ring->label_rows + slots_of(radius));
    ring->values = (float *)((unsigned char *)memory + pointers_size(radius));
    ring->plain = source->gaps ? ring->values + area * (1 + bands) : NULL;
    ring->labels = (uint8_t *)(ring->values + area * (1 + bands + (source->gaps ? bands : 0)));
    ring->live = source->gaps ? ring->labels + area : NULL;
    ring->first = ring->loaded = tile.y - radius > 0 ? tile.y - radius : 0;
}

/* The slot of a row of the source. */
static ptrdiff_t slot_of(const CofiRing *ring, int y)
{
    return y % slots_of(ring->radius);
}

static float *plane_row(const CofiRing *ring, float *planes, int n_planes, int plane,
                        ptrdiff_t slot)
{
    return planes + (slot * n_planes + plane) * ring->stride;
}

static float *values_row(const CofiRing *ring, int plane, ptrdiff_t slot)
{
    return plane_row(ring, ring->values, 1 + ring->source->bands, plane, slot);
}

static float *plain_row(const CofiRing *ring, int band, ptrdiff_t slot)
{
    return ring->plain ? plane_row(ring, ring->plain, ring->source->bands, band, slot)
                       : values_row(ring, 1 + band, slot);
}

/* The pixel of 0..n-1 that stands at i, which may be far outside; -1: none does. */
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

/* The column of the source that stands at x; -1: none. */
static int folded_column(const CofiSource *s, int x)
{
    int64_t at = folded((int64_t)s->rect.x + x, s->in->full_width, s->border) - s->rect.x;
    return at >= 0 && at < s->rect.width ? (int)at : -1;
}

static int folded_row(const CofiSource *s, int y)
{
    int64_t at = folded((int64_t)s->rect.y + y, s->in->full_height, s->border) - s->rect.y;
    return at >= 0 && at < s->rect.height ? (int)at : -1;
}

/* The next row of a tile lies too far away for the processor to guess. */
static void ask_for_next_row(const CofiSource *s, ptrdiff_t at, int y, int n)
{
    enum { LINE = 64 / sizeof(int16_t) };
    for (int band = 0; band < 3 && y + 1 < s->rect.height; band++)
        for (int i = 0; i < n; i += LINE)
            __builtin_prefetch(s->packed[band] + at + s->rect.width + i);
}

/* Of 8-bit RGB, what packing leaves of it, whether it is packed already or not. */
static void load_lab(const CofiSource *s, int x, int y, int n, float *const *rows)
{
    enum { BLOCK = 256 };
    int in_x = s->rect.x - s->in->x + x, in_y = s->rect.y - s->in->y + y;
    ptrdiff_t at = (ptrdiff_t)y * s->rect.width + x;
    if (s->packed) {
        const int16_t *const packed[3] = {s->packed[0] + at, s->packed[1] + at, s->packed[2] + at};
        s->colour->kernels.unpack_lab(packed, n, rows);
        ask_for_next_row(s, at, y, n);
        return;
    }
    cofi_lab_row(s->colour, s->in, in_x, in_y, n, rows);
    for (int first = 0; first < n && s->in->sample == COF_U8; first += BLOCK) {
        int16_t numbers[3][BLOCK], *const to[3] = {numbers[0], numbers[1], numbers[2]};
        const int16_t *const from[3] = {numbers[0], numbers[1], numbers[2]};
        float *const lab[3] = {rows[0] + first, rows[1] + first, rows[2] + first};
        const float *const read[3] = {lab[0], lab[1], lab[2]};
        int count = n - first < BLOCK ? n - first : BLOCK;
        s->colour->kernels.pack_lab(read, count, to);
        s->colour->kernels.unpack_lab(from, count, lab);
    }
}

static void load_values(const CofiRing *ring, int x, int y, int n, float *const *rows)
{
    const CofiSource *s = ring->source;
    int in_x = s->rect.x - s->in->x + x, in_y = s->rect.y - s->in->y + y;
    if (s->planes)
        for (int band = 0; band < s->bands; band++)
            memcpy(rows[band], s->planes[band] + (ptrdiff_t)y * s->rect.width + x,
                   (size_t)n * sizeof(float));
    else if (s->lab)
        load_lab(s, x, y, n, rows);
    else
        for (int band = 0; band < s->bands; band++)
            cofi_load_row(s->in, band, in_x, in_y, n, rows[band]);
}

/* Votes are alpha where there is data. Where all are 1, a slot keeps them for the next row. */
static void load_votes(const CofiRing *ring, int x, int y, int n, float *votes, uint8_t *live)
{
    const CofiSource *s = ring->source;
    if (!s->gaps && y >= ring->first + slots_of(ring->radius))
        return;
    const CofImage *in = s->in;
    int in_x = s->rect.x - in->x + x, in_y = s->rect.y - in->y + y;
    float full = (float)cofi_sample_max(in->sample);
    if (cofi_has_alpha(in)) {
        cofi_load_row(in, in->channels - 1, in_x, in_y, n, votes);
        for (int i = 0; i < n; i++)
            votes[i] = votes[i] <= 0 ? 0 : votes[i] >= full ? 1 : votes[i] / full;
    } else {
        for (int i = 0; i < n; i++)
            votes[i] = 1;
    }
    if (!s->gaps)
        return;
    memset(live, 1, (size_t)n);
    cofi_valid_row(in, in_x, in_y, n, live);
    if (s->guide)
        cofi_valid_row(s->guide, in_x, in_y, n, live);
    for (int i = 0; i < n; i++)
        if (!live[i])
            votes[i] = 0;
}

/* Copies the pixels of a slot that border columns show; `first` is the first loaded column. */
static void copy_column(const CofiRing *ring, ptrdiff_t slot, int to, int from)
{
    for (int plane = 0; plane <= ring->source->bands; plane++) {
        float *row = values_row(ring, plane, slot);
        row[to] = row[from];
    }
    uint8_t *labels = ring->labels + slot * ring->stride;
    labels[to] = labels[from];
}

static void clear_column(const CofiRing *ring, ptrdiff_t slot, int to)
{
    for (int plane = 0; plane <= ring->source->bands; plane++)
        values_row(ring, plane, slot)[to] = 0;
    ring->labels[slot * ring->stride + to] = 0;
}

/* Columns of the tile, left and right, that lie beyond the image. */
static void fill_borders(const CofiRing *ring, ptrdiff_t slot, int left, int right)
{
    int before = ring->tile.x - ring->radius, end = ring->tile.width + 2 * ring->radius;
    for (int i = 0; i < end; i++) {
        int x = before + i;
        if (x >= left && x < right) {
            i = right - before - 1;
            continue;
        }
        int from = folded_column(ring->source, x);
        if (from >= 0)
            copy_column(ring, slot, i, from - before);
        else
            clear_column(ring, slot, i);
    }
}

static void multiply_by_votes(const CofiRing *ring, ptrdiff_t slot, int first, int n)
{
    const float *votes = values_row(ring, 0, slot) + first;
    for (int band = 0; band < ring->source->bands; band++) {
        const float *plain = plain_row(ring, band, slot) + first;
        float *values = values_row(ring, 1 + band, slot) + first;
        for (int i = 0; i < n; i++)
            values[i] = plain[i] * votes[i];
    }
}

static void load_row(CofiRing *ring, int y)
{
    const CofiSource *s = ring->source;
    ptrdiff_t slot = slot_of(ring, y);
    int before = ring->tile.x - ring->radius,
        after = ring->tile.x + ring->tile.width + ring->radius;
    int left = before > 0 ? before : 0, right = after < s->rect.width ? after : s->rect.width;
    int first = left - before, n = right - left;
    float *rows[COF_MAX_BANDS];
    for (int band = 0; band < s->bands; band++)
        rows[band] = plain_row(ring, band, slot) + first;
    load_values(ring, left, y, n, rows);
    load_votes(ring, left, y, n, values_row(ring, 0, slot) + first,
               s->gaps ? ring->live + slot * ring->stride + first : NULL);
    if (s->gaps)
        multiply_by_votes(ring, slot, first, n);
    memcpy(ring->labels + slot * ring->stride + first,
           s->labels + (ptrdiff_t)y * s->rect.width + left, (size_t)n);
    fill_borders(ring, slot, left, right);
}

void cofi_ring_move(CofiRing *ring, int y)
{
    const CofiSource *s = ring->source;
    int slots = slots_of(ring->radius);
    int bottom = y + ring->radius < s->rect.height ? y + ring->radius + 1 : s->rect.height;
    for (; ring->loaded < bottom; ring->loaded++)
        load_row(ring, ring->loaded);
    for (int i = 0; i < slots; i++) {
        int row = folded_row(s, y - ring->radius + i);
        ptrdiff_t slot = row < 0 ? slots : slot_of(ring, row);
        ring->label_rows[i] = ring->labels + slot * ring->stride;
        ring->vote_rows[i] = values_row(ring, 0, slot);
    }
}

const float *cofi_ring_band(const CofiRing *ring, int band, int x, int y)
{
    return plain_row(ring, band, slot_of(ring, y)) + ring->radius + x;
}

const uint8_t *cofi_ring_live(const CofiRing *ring, int x, int y)
{
    if (!ring->source->gaps)
        return NULL;
    return ring->live + slot_of(ring, y) * ring->stride + ring->radius + x;
}
