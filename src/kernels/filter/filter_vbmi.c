/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter with AVX-512 VBMI, for more than 32 labels. The four bytes of a weight are
 * looked up separately: a permute looks up 64 labels in 64 entries. Labels near each other seldom
 * need all four quarters of the 256 entries. Without VBMI, weights are gathered. */
#if defined(__x86_64__)
#include "kernels/filter/filter_512.h"

/* The number of rows of the window that are looked up together, one in each quarter of a vector. */
#define ROWS 4

/* Constants of a loop: the compiler generates one loop for each kind. */
typedef struct Kind {
    int planes;
    bool plain;  /* alphas are 1 */
    bool narrow; /* two windows side by side fit in one vector */
} Kind;

/* With few planes it is faster to apply the Gaussian in two steps: to each row of values, which
 * both pixels share, and to the columns of the sums at the end. */
#define BY_ROWS(kind) ((kind).narrow && (kind).planes <= 2)

/* Rows of the window that are looked up together, and the weights of their columns. */
typedef struct Strip {
    const uint8_t *labels[ROWS];
    const float *planes[ROWS], *gauss[ROWS];
} Strip;

/* Loads 16 labels of each row in the order that unpacking turns into rows: the first four labels of
 * each row, then the next four of each, and so on. */
INLINE __m512i labels_of(const Strip *strip, ptrdiff_t x)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, load_labels(strip->labels, x));
}

/* Entries of the matrix in four planes of bytes. */
typedef struct Found {
    __m512i bytes[4];
} Found;

INLINE void unpack(const Found *found, __m512 entries[ROWS])
{
    const __m512i *b = found->bytes;
    __m512i low01 = _mm512_unpacklo_epi8(b[0], b[1]), low23 = _mm512_unpacklo_epi8(b[2], b[3]);
    __m512i high01 = _mm512_unpackhi_epi8(b[0], b[1]), high23 = _mm512_unpackhi_epi8(b[2], b[3]);
    entries[0] = _mm512_castsi512_ps(_mm512_unpacklo_epi16(low01, low23));
    entries[1] = _mm512_castsi512_ps(_mm512_unpackhi_epi16(low01, low23));
    entries[2] = _mm512_castsi512_ps(_mm512_unpacklo_epi16(high01, high23));
    entries[3] = _mm512_castsi512_ps(_mm512_unpackhi_epi16(high01, high23));
}

/* Looks up the labels that are in one quarter of the 256 entries. */
INLINE void look_up_quarter(const uint8_t *row, int quarter, __mmask64 here, __m512i labels,
                            Found *found)
{
    for (int i = 0; i < 4; i++) {
        __m512i entries = _mm512_loadu_si512(row + i * COF_MAX_COLOURS + quarter * 64);
        found->bytes[i] = _mm512_mask_permutexvar_epi8(found->bytes[i], here, labels, entries);
    }
}

/* Looks up the entries for both pixels, which are `alike` if the pixels have the same label. */
INLINE void look_up(const uint8_t *one, const uint8_t *two, bool alike, __m512i labels,
                    __m512 entries[2][ROWS])
{
    __mmask64 upper = _mm512_movepi8_mask(labels);
    __mmask64 odd = _mm512_movepi8_mask(_mm512_slli_epi16(labels, 1));
    const __mmask64 quarters[4] = {~upper & ~odd, ~upper & odd, upper & ~odd, upper & odd};
    Found found[2] = {{{_mm512_setzero_si512()}}};
    for (int quarter = 0; quarter < 4; quarter++)
        if (quarters[quarter] != 0) {
            look_up_quarter(one, quarter, quarters[quarter], labels, &found[0]);
            if (!alike)
                look_up_quarter(two, quarter, quarters[quarter], labels, &found[1]);
        }
    unpack(&found[0], entries[0]);
    if (!alike)
        unpack(&found[1], entries[1]);
}

/* Adds 16 taps with these entries; values are weighted by row. */
INLINE void add_row(Kind kind, __m512 one, __m512 two, float weight, const float *planes,
                    ptrdiff_t stride, Pair *pair)
{
    for (int plane = 0; plane < kind.planes; plane++) {
        __m512 values = _mm512_set1_ps(weight);
        if (plane > 0 || !kind.plain)
            values = _mm512_mul_ps(values, _mm512_loadu_ps(planes + plane * stride));
        pair->sums[0][plane] = _mm512_fmadd_ps(one, values, pair->sums[0][plane]);
        pair->sums[1][plane] = _mm512_fmadd_ps(two, values, pair->sums[1][plane]);
    }
}

/* Adds 16 taps of each row to the sums of both pixels. `weights` are those of the rows, if
 * BY_ROWS. */
INLINE void add_strip(const CofiTaps *taps, Kind kind, const Strip *strip, const float *weights,
                      ptrdiff_t x, int column, const uint8_t *one, const uint8_t *two, bool alike,
                      Pair *pair)
{
    __m512 entries[2][ROWS];
    look_up(one, two, alike, labels_of(strip, x + column), entries);
    for (int i = 0; i < ROWS; i++) {
        if (BY_ROWS(kind)) {
            add_row(kind, entries[0][i], entries[!alike][i], weights[i], strip->planes[i] + x,
                    taps->stride, pair);
            continue;
        }
        const float *gauss = strip->gauss[i] + column; /* of the second pixel: one before */
        __m512 w1 = _mm512_mul_ps(entries[0][i], _mm512_loadu_ps(gauss));
        __m512 w2 = _mm512_mul_ps(entries[!alike][i], _mm512_loadu_ps(gauss - 1));
        add_weighted(kind.planes, kind.plain, w1, w2, strip->planes[i] + x + column, taps->stride,
                     pair);
    }
}

#define MAX_STRIPS ((COF_MAX_FILTER_WINDOW + ROWS - 1) / ROWS)

/* A window divided into strips. */
typedef struct Window {
    int strips, columns;
    float weights[2][LANES];  /* of the columns of a narrow window, for both pixels */
    float row_weights[LANES]; /* of its rows */
    Strip of[MAX_STRIPS];
} Window;

static const float no_weights[1 + COF_MAX_FILTER_WINDOW + 1 + LANES];

/* The last strip is filled up with the last row, without weight. */
static void cut_window(const CofiTaps *taps, int first_plane, Window *window)
{
    int side = 2 * taps->radius + 1;
    window->strips = (side + ROWS - 1) / ROWS;
    window->columns = (side + LANES) / LANES * LANES;
    for (int i = 0; i < window->strips * ROWS; i++) {
        Strip *strip = &window->of[i / ROWS];
        int row = i < side ? i : side - 1;
        const float *gauss = i < side ? taps->weights + row * taps->weight_stride : no_weights + 1;
        strip->labels[i % ROWS] = taps->labels[row];
        strip->planes[i % ROWS] = taps->alphas[row] + first_plane * taps->stride;
        strip->gauss[i % ROWS] = gauss;
    }
    for (int i = 0; i < LANES && side < LANES; i++) {
        window->row_weights[i] = i < side ? taps->gauss[i] : 0;
        window->weights[0][i] = i < side ? taps->gauss[i] : 0;
        window->weights[1][i] = i > 0 && i <= side ? taps->gauss[i - 1] : 0;
    }
}

INLINE void weigh_columns(const Window *window, Kind kind, Pair *pair)
{
    for (int pixel = 0; pixel < 2; pixel++) {
        __m512 weights = _mm512_loadu_ps(window->weights[pixel]);
        for (int plane = 0; plane < kind.planes; plane++)
            pair->sums[pixel][plane] = _mm512_mul_ps(pair->sums[pixel][plane], weights);
    }
}

INLINE void sum_two(const CofiTaps *taps, const Window *window, Kind kind, int x,
                    const uint8_t *one, const uint8_t *two, bool alike, Pair *total)
{
    int columns = kind.narrow ? LANES : window->columns;
    int step = kind.narrow ? MAX_STEPS / ROWS : MAX_STEPS * LANES / columns / ROWS;
    step = step < 1 ? 1 : step;
    for (int first = 0; first < window->strips; first += step) {
        int last = first + step < window->strips ? first + step : window->strips;
        Pair part = {0};
        for (int i = first; i < last; i++)
            for (int column = 0; column < columns; column += LANES)
                add_strip(taps, kind, &window->of[i], window->row_weights + i * ROWS, x, column,
                          one, two, alike, &part);
        add_pair(kind.planes, &part, total);
    }
}

INLINE void sum_kind(const CofiTaps *taps, const Window *window, Kind kind, int x, int n,
                     PairSums *sums)
{
    const uint8_t *centre = taps->labels[taps->radius] + x + taps->radius;
    for (int i = 0; i < n; i += 2, centre += 2) {
        const uint8_t *one = taps->bytes + (ptrdiff_t)centre[0] * COFI_MATRIX_BYTES;
        const uint8_t *two = taps->bytes + (ptrdiff_t)centre[1] * COFI_MATRIX_BYTES;
        Pair total = {0};
        if (one == two)
            sum_two(taps, window, kind, x + i, one, one, true, &total);
        else
            sum_two(taps, window, kind, x + i, one, two, false, &total);
        if (BY_ROWS(kind))
            weigh_columns(window, kind, &total);
        finish_pair(kind.planes, &total, &sums[i / 2]);
    }
}

static void sum_planes(const CofiTaps *taps, int first_plane, int planes, int x, int n,
                       PairSums *sums)
{
    Window window;
    cut_window(taps, first_plane, &window);
    bool plain = taps->plain && first_plane == 0 && planes > 1, narrow = window.columns == LANES;
#define CASE(PLANES, PLAIN, NARROW) \
    if (planes == PLANES && plain == PLAIN && narrow == NARROW) \
    sum_kind(taps, &window, (Kind){PLANES, PLAIN, NARROW}, x, n, sums)
    CASE(1, false, true);
    CASE(2, false, true);
    CASE(3, false, true);
    CASE(4, false, true);
    CASE(2, true, true);
    CASE(3, true, true);
    CASE(4, true, true);
    CASE(1, false, false);
    CASE(2, false, false);
    CASE(3, false, false);
    CASE(4, false, false);
    CASE(2, true, false);
    CASE(3, true, false);
    CASE(4, true, false);
#undef CASE
}

void cofi_filter_row_vbmi(const CofiTaps *taps, int x, int n, float *const *values,
                          uint8_t *has_weight)
{
    if (taps->k <= COFI_FEW_LABELS)
        cofi_filter_row_avx512(taps, x, n, values, has_weight);
    else
        filter_blocks(taps, x, n, sum_planes, values, has_weight);
}
#endif
