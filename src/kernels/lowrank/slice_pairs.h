/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices rows of pixels of four values, in cells of two by two pixels, with long vectors. The cells
 * above and below a row are blended first, in registers. Then each pixel multiplies the two blended
 * cells beside it by the factors of its label. No branch depends on the labels. Included by
 * slice_loops.h. */

/* With more terms, two cells do not fit into registers, and it pays to share the products of pixels
 * that have one label. */
#define MAX_PAIR_TERMS 16
#define MAX_CELL_VECTORS (MAX_PAIR_TERMS * 4 / LANES)

/* What all pixels of a row share. */
typedef struct PairRow {
    const float *upper, *lower; /* cells */
    const float *factors;
    Vector below;    /* the weight of the lower cells, relative to that of the upper ones */
    Vector right[2]; /* that of the right cell to the left one, for either pixel of a pair */
    float scales[2]; /* the weights of the upper left cell */
    int vectors;
} PairRow;

INLINE void blend_cell(const PairRow *r, ptrdiff_t cell, int vectors, Vector *blended)
{
    const float *upper = r->upper + cell * vectors * LANES,
                *lower = r->lower + cell * vectors * LANES;
    blended[0] = fma_add(r->below, load(lower), load(upper));
    UNROLL
    for (int i = 1; i < vectors; i++)
        blended[i] = fma_add(r->below, load(lower + i * LANES), load(upper + i * LANES));
}

/* Sums that are left to be folded to the four values of a pixel, and to be scaled. */
INLINE Vector slice_pixel(const PairRow *r, int label, int place, const Vector *left,
                          const Vector *right, int vectors)
{
    const float *factors = r->factors + (ptrdiff_t)label * vectors * LANES;
    Vector sums[2];
    sums[0] = load(factors) * left[0];
    sums[1] = load(factors) * right[0];
    UNROLL
    for (int i = 1; i < vectors; i++) {
        Vector factor = load(factors + i * LANES);
        sums[0] = fma_add(factor, left[i], sums[0]);
        sums[1] = fma_add(factor, right[i], sums[1]);
    }
    return fma_add(r->right[place], sums[1], sums[0]);
}

INLINE void store_pixel(Vector sums, float scale, float *pixel)
{
    Vector pixels[PIXELS];
    float values[LANES];
    for (int i = 0; i < PIXELS; i++)
        pixels[i] = sums;
    store(values, mul(fold_pixels(pixels), set1(scale)));
    memcpy(pixel, values, 4 * sizeof *pixel);
}

/* One pixel at the beginning or the end of a row, where there is no whole pair. */
SEPARATE void slice_alone(const PairRow *r, int label, int at, float *pixel)
{
    Vector left[MAX_CELL_VECTORS], right[MAX_CELL_VECTORS];
    blend_cell(r, at / 2, r->vectors, left);
    blend_cell(r, at / 2 + 1, r->vectors, right);
    Vector sums = slice_pixel(r, label, at % 2, left, right, r->vectors);
    store_pixel(sums, r->scales[at % 2], pixel);
}

/* Slices pixels from x on, the first of a pair, as long as they fill vectors; returns the pixel
 * after the last one. */
INLINE int slice_vectors(const PairRow *r, const uint8_t *labels, int first, int x, int n,
                         int vectors, float *pixels)
{
    Vector left[MAX_CELL_VECTORS], right[MAX_CELL_VECTORS], sums[PIXELS];
    float scales[LANES];
    ptrdiff_t cell = (first + x) / 2;
    if (x + PIXELS > n)
        return x;
    for (int i = 0; i < LANES; i++)
        scales[i] = r->scales[i / 4 % 2];
    Vector scale = load(scales);
    blend_cell(r, cell, vectors, left);
    for (; x + PIXELS <= n; x += PIXELS) {
        UNROLL
        for (int pair = 0; pair < PIXELS / 2; pair++) {
            blend_cell(r, ++cell, vectors, right);
            for (int place = 0; place < 2; place++)
                sums[2 * pair + place] =
                    slice_pixel(r, labels[x + 2 * pair + place], place, left, right, vectors);
            left[0] = right[0];
            UNROLL
            for (int i = 1; i < vectors; i++)
                left[i] = right[i];
        }
        store(pixels + (ptrdiff_t)x * 4, mul(fold_pixels(sums), scale));
    }
    return x;
}

/* The usual numbers of terms: 8, 12 and 16. */
INLINE int slice_whole(const PairRow *r, const uint8_t *labels, int first, int x, int n,
                       float *pixels)
{
    if (r->vectors == 12 * 4 / LANES)
        return slice_vectors(r, labels, first, x, n, 12 * 4 / LANES, pixels);
    if (r->vectors == 8 * 4 / LANES)
        return slice_vectors(r, labels, first, x, n, 8 * 4 / LANES, pixels);
    if (r->vectors == 16 * 4 / LANES)
        return slice_vectors(r, labels, first, x, n, 16 * 4 / LANES, pixels);
    return slice_vectors(r, labels, first, x, n, r->vectors, pixels);
}

SEPARATE void slice_pairs(const CofiSlice *s)
{
    PairRow r = {
        .upper = s->upper, .lower = s->lower, .factors = s->factors, .vectors = s->size / LANES};
    for (int place = 0; place < 2; place++)
        r.right[place] = set1(s->shares[place] / (1 - s->shares[place]));
    for (int row = 0; row < s->rows; row++) {
        const uint8_t *labels = s->labels[row];
        float *pixels = s->pixels + row * s->stride;
        float above = 1 - s->lower_shares[row];
        r.below = set1(s->lower_shares[row] / above);
        for (int place = 0; place < 2; place++)
            r.scales[place] = above * (1 - s->shares[place]);
        int x = 0;
        for (; x < s->n && (s->first + x) % 2 != 0; x++)
            slice_alone(&r, labels[x], s->first + x, pixels + (ptrdiff_t)x * 4);
        x = slice_whole(&r, labels, s->first, x, s->n, pixels);
        for (; x < s->n; x++)
            slice_alone(&r, labels[x], s->first + x, pixels + (ptrdiff_t)x * 4);
    }
}
