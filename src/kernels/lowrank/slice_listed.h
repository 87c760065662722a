/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices pixels of four values, in blocks of two by two, with long vectors and many terms: first
 * the labels of each block are listed, then each is multiplied by the four cells of its block, and
 * in the end pixels are interpolated. No branch depends on the labels. Included by slice_loops.h.
 */

/* Blocks that are sliced together: as many as have room for their labels in the scratch. */
#define LISTED_BLOCKS (COFI_FAST_LABELS / 4)

/* The labels of some blocks. Pixels have places in the scratch, four in each block. Those of one
 * label share the place of the first of them. */
typedef struct LabelList {
    int n;
    uint8_t places[COFI_FAST_LABELS + 4]; /* of the n labels, each once for its block */
    uint8_t labels[COFI_FAST_LABELS];     /* of all pixels */
    uint8_t shared[COFI_FAST_LABELS];     /* the place that a pixel shares */
} LabelList;

INLINE void list_labels(const CofiSlice *s, int x, int blocks, LabelList *list)
{
    const uint8_t *upper = s->labels[0] + x, *lower = s->labels[1] + x;
    int n = 0;
    for (int first = 0; first < 4 * blocks; first += 4, upper += 2, lower += 2) {
        uint8_t a = upper[0], b = upper[1], c = lower[0], d = lower[1];
        int of_b = b != a, of_c = (c != a) * (1 + (c != b));
        int of_d = (d != a) * (1 + (d != b) * (1 + (d != c)));
        const uint8_t labels[4] = {a, b, c, d};
        memcpy(list->labels + first, labels, sizeof labels);
        const uint8_t shared[4] = {(uint8_t)first, (uint8_t)(first + of_b), (uint8_t)(first + of_c),
                                   (uint8_t)(first + of_d)};
        memcpy(list->shared + first, shared, sizeof shared);
        /* A place that does not count is overwritten. */
        list->places[n++] = (uint8_t)first;
        list->places[n] = (uint8_t)(first + 1);
        n += of_b;
        list->places[n] = (uint8_t)(first + 2);
        n += of_c == 2;
        list->places[n] = (uint8_t)(first + 3);
        n += of_d == 3;
    }
    list->n = n;
}

/* The values of a label at the four cells, one after the other. */
typedef struct CornerValues {
    Vector parts[16 / LANES];
} CornerValues;

/* The values of all listed labels. `cell` is the upper left one of the first block. */
INLINE void find_listed_corners(const CofiSlice *s, const LabelList *list, ptrdiff_t cell, int size)
{
    float *corners = s->corners;
    for (int i = 0; i < list->n; i++) {
        int place = list->places[i], label = list->labels[place];
        const float *upper = s->upper + (cell + place / 4) * size;
        const float *lower = s->lower + (cell + place / 4) * size;
        Cells cells = {{upper, upper + size, lower, lower + size}};
        Vector sums[4];
        if (s->parts)
            sum_label(s, label, &cells, sums);
        else
            sum_corners(s->factors + (ptrdiff_t)label * size, &cells, size, 0, LANES, sums);
        store_corners(sums, corners + 16 * place);
    }
}

/* The usual numbers of terms. */
INLINE void find_corners_by_size(const CofiSlice *s, const LabelList *list, ptrdiff_t cell)
{
    if (s->size == 20 * 4 && !s->parts)
        find_listed_corners(s, list, cell, 20 * 4);
    else if (s->size == 24 * 4 && !s->parts)
        find_listed_corners(s, list, cell, 24 * 4);
    else
        find_listed_corners(s, list, cell, s->size);
}

/* The sums must be added in the order of interpolate(). */
INLINE Vector weigh_repeated(const CornerValues *weights, const float *corners)
{
    Vector sum = weights->parts[0] * load(corners);
    UNROLL
    for (int part = 1; part < 16 / LANES; part++)
        sum = sum + weights->parts[part] * load(corners + part * LANES);
    return sum;
}

INLINE void store_rows(const Vector pixels[4], float *upper, float *lower)
{
#if LANES == 16
    Vector both = fold_pixels(pixels);
    _mm256_storeu_ps(upper, _mm512_castps512_ps256(both));
    _mm256_storeu_ps(lower, _mm512_extractf32x8_ps(both, 1));
#else
    store(upper, fold_pixels(pixels));
    store(lower, fold_pixels(pixels + 2));
#endif
}

INLINE void interpolate_listed(const CofiSlice *s, const LabelList *list,
                               const CornerValues weights[4], int x, int blocks)
{
    float *upper = s->pixels + (ptrdiff_t)x * 4, *lower = upper + s->stride;
    for (int block = 0; block < blocks; block++) {
        const uint8_t *shared = list->shared + 4 * block;
        Vector pixels[4];
        UNROLL
        for (int i = 0; i < 4; i++)
            pixels[i] = weigh_repeated(&weights[i], s->corners + 16 * shared[i]);
        store_rows(pixels, upper + 8 * block, lower + 8 * block);
    }
}

/* The weight of each value at the four cells, for each pixel of a block. */
INLINE void repeat_weights(const CofiSlice *s, CornerValues repeated[4])
{
    CornerWeights weights;
    weigh_corners(s, 2, &weights);
    for (int i = 0; i < 4; i++)
        for (int part = 0; part < 16 / LANES; part++) {
            float values[LANES];
            for (int lane = 0; lane < LANES; lane++)
                values[lane] = weights.of[i / 2][i % 2][(part * LANES + lane) / 4];
            repeated[i].parts[part] = load(values);
        }
}

/* Pixels that are no whole blocks. */
SEPARATE void slice_rest(const CofiSlice *s, int x, int n)
{
    const uint8_t *labels[2];
    CofiSlice rest = *s;
    for (int row = 0; row < s->rows; row++)
        labels[row] = s->labels[row] + x;
    ptrdiff_t cell = (s->first + x) / 2;
    rest.labels = labels;
    rest.n = n;
    rest.first = (s->first + x) % 2;
    rest.upper += cell * s->size;
    rest.lower += cell * s->size;
    rest.pixels += (ptrdiff_t)x * 4;
    slice_cells(&rest, 4, 2);
}

SEPARATE void slice_listed(const CofiSlice *s)
{
    int begin = s->first % 2 < s->n ? s->first % 2 : s->n, end = s->n - (s->n - begin) % 2;
    LabelList list;
    CornerValues weights[4];
    if (s->rows < 2)
        begin = end = s->n;
    if (begin > 0)
        slice_rest(s, 0, begin);
    if (begin < end)
        repeat_weights(s, weights);
    for (int x = begin; x < end;) {
        int left = (end - x) / 2, blocks = left < LISTED_BLOCKS ? left : LISTED_BLOCKS;
        list_labels(s, x, blocks, &list);
        find_corners_by_size(s, &list, (s->first + x) / 2);
        interpolate_listed(s, &list, weights, x, blocks);
        x += 2 * blocks;
    }
    if (end < s->n)
        slice_rest(s, end, s->n - end);
}
