/* SPDX-License-Identifier: BSD-2-Clause */
/* Splats pixels to a row of cells. Included by lowrank_loops.h. */
/* The most vectors of a cell that are summed in one pass. */
#define MAX_VECTORS 6

/* Interleaves the planes of n pixels; values without a plane become 0. */
INLINE void interleave(const float *planes, ptrdiff_t stride, int n_planes, int spread, int n,
                       float *restrict pixels)
{
    for (int i = 0; i < n; i++)
        for (int plane = 0; plane < spread; plane++)
            pixels[i * spread + plane] = plane < n_planes ? planes[plane * stride + i] : 0;
}

/* The same for four planes. Compilers of WebAssembly would move each value by itself. */
INLINE void interleave_four(const float *planes, ptrdiff_t stride, int n, float *restrict pixels)
{
    int i = 0;
#if defined(TRANSPOSE)
    for (; i + 4 <= n; i += 4) {
        Vector rows[4], columns[4];
        UNROLL
        for (int plane = 0; plane < 4; plane++)
            rows[plane] = load(planes + plane * stride + i);
        transpose(rows, columns);
        UNROLL
        for (int j = 0; j < 4; j++)
            store(pixels + 4 * (i + j), columns[j]);
    }
#endif
    interleave(planes + i, stride, 4, 4, n - i, pixels + 4 * i);
}

/* The values by which a vector of a cell is multiplied. */
INLINE Vector values_of(const float *pixel, int spread, int vector)
{
    return spread < LANES ? load_spread(pixel, spread) : load(pixel + vector * LANES % spread);
}

INLINE bool one_label(const CofiSplat *g, int step, int cell)
{
    uint8_t label = g->labels[0][cell * step], differ = 0;
    for (int row = 0; row < step; row++)
        for (int x = 0; x < step; x++)
            differ |= g->labels[row][cell * step + x] ^ label;
    return differ == 0;
}

INLINE float *pixel_of(const CofiSplat *g, int spread, int step, int cell, int row)
{
    return g->pixels + (ptrdiff_t)(row * g->n + cell) * step * spread;
}

/* A cell whose pixels have one label: these are added before they are multiplied. The sum replaces
 * the first of them. */
INLINE void splat_sum(const CofiSplat *g, int spread, int step, int cell, float *to)
{
    float *sums = pixel_of(g, spread, step, cell, 0);
    for (int i = 0; i<spread; i += spread> 2 ? 4 : 2) {
        Four sum = {0};
        for (int row = 0; row < step; row++)
            for (int x = 0; x < step; x++)
                sum += four_at(pixel_of(g, spread, step, cell, row) + x * spread + i, spread);
        set_four(sums + i, sum, spread);
    }
    const float *factors = g->factors + g->labels[0][cell * step] * g->size;
    Vector values = values_of(sums, spread, 0);
    for (int i = 0; i < g->size; i += LANES) {
        if (spread > LANES)
            values = load(sums + i % spread);
        store(to + i, mul(load(factors + i), values));
    }
}

/* Sums vectors first..first+vectors-1 of cells. */
INLINE void splat_vectors(const CofiSplat *g, int spread, int step, int first_cell, int last_cell,
                          int first, int vectors)
{
    int size = g->size;
    const float *factors = g->factors + first * LANES;
    float *to = g->sums + (ptrdiff_t)first_cell * size + first * LANES;
    for (int cell = first_cell; cell < last_cell; cell++, to += size) {
        Vector sums[MAX_VECTORS];
        for (int i = 0; i < vectors; i++)
            sums[i] = set1(0);
        for (int row = 0; row < step; row++) {
            const uint8_t *labels = g->labels[row] + cell * step;
            const float *pixel = pixel_of(g, spread, step, cell, row);
            for (int x = 0; x < step; x++, pixel += spread) {
                const float *from = factors + labels[x] * size;
                for (int i = 0; i < vectors; i++)
                    sums[i] = fma_add(load(from + i * LANES), values_of(pixel, spread, first + i),
                                      sums[i]);
            }
        }
        for (int i = 0; i < vectors; i++)
            store(to + i * LANES, sums[i]);
    }
}

INLINE void splat_range(const CofiSplat *g, int spread, int step, int first_cell, int last_cell)
{
    int vectors = g->size / LANES, first = 0;
    for (; first + 4 <= vectors; first += 4)
        splat_vectors(g, spread, step, first_cell, last_cell, first, 4);
    if (vectors - first == 3)
        splat_vectors(g, spread, step, first_cell, last_cell, first, 3);
    else if (vectors - first == 2)
        splat_vectors(g, spread, step, first_cell, last_cell, first, 2);
    else if (vectors - first == 1)
        splat_vectors(g, spread, step, first_cell, last_cell, first, 1);
}

/* With vectors that hold the sums of a cell in a few registers, a branch for cells with one label
 * would take longer than what it saves. */
INLINE void splat_cells(const CofiSplat *g, int spread, int step)
{
    if (LANES > 4) {
        splat_range(g, spread, step, 0, g->n);
        return;
    }
    for (int cell = 0; cell < g->n; cell++)
        if (one_label(g, step, cell))
            splat_sum(g, spread, step, cell, g->sums + (ptrdiff_t)cell * g->size);
        else
            splat_range(g, spread, step, cell, cell + 1);
}

/* Adds each pixel to the sums of its label. */
INLINE void splat_labels(const CofiSplat *g, int spread, int step)
{
    memset(g->sums, 0, (size_t)g->n * (size_t)g->size * sizeof *g->sums);
    for (int cell = 0; cell < g->n; cell++)
        for (int row = 0; row < step; row++) {
            const uint8_t *labels = g->labels[row] + cell * step;
            const float *pixel = pixel_of(g, spread, step, cell, row);
            float *sums = g->sums + (ptrdiff_t)cell * g->size;
            for (int x = 0; x < step; x++, pixel += spread) {
                float *to = sums + labels[x] * spread;
                for (int i = 0; i<spread; i += spread> 2 ? 4 : 2)
                    set_four(to + i, four_at(to + i, spread) + four_at(pixel + i, spread), spread);
            }
        }
}

/* All vectors of all cells, some in each pass. */
INLINE void splat_in_passes(const CofiSplat *g, int spread, int step, int vectors)
{
    for (int first = 0; first < g->size / LANES; first += vectors)
        splat_vectors(g, spread, step, 0, g->n, first, vectors);
}

/* The most frequent case, as in slice_loops.h. With long vectors, few passes are enough for the
 * numbers of terms that are usual then. */
SEPARATE void splat_four_by_two(const CofiSplat *g)
{
    int vectors = g->size / LANES;
    if (LANES > 4 && vectors % 6 == 0)
        splat_in_passes(g, 4, 2, 6);
    else if (LANES > 4 && vectors % 5 == 0)
        splat_in_passes(g, 4, 2, 5);
    else
        splat_cells(g, 4, 2);
}

INLINE void splat_spread(const CofiSplat *g, int spread)
{
    int width = g->step * g->n;
    for (int row = 0; row < g->step; row++) {
        float *pixels = g->pixels + (ptrdiff_t)row * width * spread;
        if (spread == 4 && g->planes == 4)
            interleave_four(g->values[row], g->stride, width, pixels);
        else
            interleave(g->values[row], g->stride, g->planes, spread, width, pixels);
    }
    if (!g->factors)
        splat_labels(g, spread, g->step);
    else if (g->step == 2 && spread == 4)
        splat_four_by_two(g);
    else if (g->step == 2)
        splat_cells(g, spread, 2);
    else
        splat_cells(g, spread, g->step);
}

void LEVEL(cofi_splat_row)(const CofiSplat *g)
{
    assert(g->size > 0 && g->size % LANES == 0 && g->step >= 1 && g->n >= 0);
    assert(g->planes >= 1 && g->planes <= g->spread);
    if (g->spread == 4)
        splat_spread(g, 4);
    else if (g->spread == 2)
        splat_spread(g, 2);
    else if (FOR_EIGHT && g->spread == 8)
        splat_spread(g, 8);
    else
        splat_spread(g, g->spread);
}
