/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter with AVX-512 FP16, for bytes that are averaged as they are, and more than 32
 * labels (8-bit grey). Half precision is enough for them: the weights are off by 2^-11 of
 * themselves at most, the means by a small part of a byte's step. Looked up as filter_vbmi.c does,
 * in half as many steps.
 */
#if defined(__x86_64__) && defined(__AVX512FP16__)
#include "filter_512.h"

/* Rows of the window that are looked up together, one in each quarter of a vector of bytes: two
 * vectors of two rows of halves. */
#define ROWS 4
#define STRIPS 4
#define MOST_ROWS (ROWS * STRIPS)

/* Bytes are averaged around their middle: smaller numbers are more exact. */
#define MIDDLE 128.0f

/* Rows of `halves` go up to 16. Weights that are so much smaller may have been rounded to nothing.
 */
#define LEAST_WEIGHT 0.01f

typedef struct Window {
    _Alignas(64) _Float16 rows[STRIPS][2][2 * LANES]; /* weights of rows */
    _Alignas(64) float columns[2][LANES];             /* for both pixels */
    const uint8_t *labels[MOST_ROWS];
    int strips;
    _Alignas(64) _Float16 values[MOST_ROWS][BLOCK + LANES];
} Window;

/* Where there are no more rows, the last one again, without weight. */
static void cut_window(const CofiTaps *taps, Window *window)
{
    int side = 2 * taps->radius + 1;
    float unit = 1 / taps->gauss[taps->radius];
    window->strips = (side + ROWS - 1) / ROWS;
    for (int row = 0; row < MOST_ROWS; row++) {
        _Float16 weight = (_Float16)(row < side ? taps->gauss[row] * unit : 0);
        window->labels[row] = taps->labels[row < side ? row : side - 1];
        for (int i = 0; i < LANES; i++)
            window->rows[row / ROWS][row % ROWS / 2][row % 2 * LANES + i] = weight;
    }
    for (int i = 0; i < LANES; i++) {
        window->columns[0][i] = i < side ? taps->gauss[i] * unit : 0;
        window->columns[1][i] = i > 0 && i <= side ? taps->gauss[i - 1] * unit : 0;
    }
}

/* The values around pixels x..x+n-1 as halves. Beyond them stands anything. */
static void load_values(const CofiTaps *taps, int x, int n, Window *window)
{
    int side = 2 * taps->radius + 1;
    __m512 middle = _mm512_set1_ps(MIDDLE);
    for (int row = 0; row < window->strips * ROWS; row++) {
        const float *values = taps->votes[row < side ? row : side - 1] + taps->stride + x;
        for (int i = 0; i < n + LANES; i += LANES) {
            __m512 centred = _mm512_sub_ps(_mm512_loadu_ps(values + i), middle);
            centred = _mm512_max_ps(_mm512_min_ps(centred, middle), _mm512_set1_ps(-MIDDLE));
            __m256i halves = _mm512_cvtps_ph(centred, _MM_FROUND_TO_NEAREST_INT);
            _mm256_storeu_si256((__m256i *)&window->values[row][i], halves);
        }
    }
}

/* 16 labels of each row, so that unpacking gives rows side by side: the first eight of row 0, of
 * row 2, the others of both; then rows 1 and 3. */
INLINE __m512i labels_of(const uint8_t *const *rows, int x)
{
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm512_permutexvar_epi64(order, load_labels(rows, x));
}

/* Low and high bytes of the entries of a row of the matrix. */
typedef struct Found {
    __m512i low, high;
} Found;

INLINE void look_up_quarter(const uint8_t *row, int quarter, __mmask64 here, __m512i labels,
                            Found *found)
{
    __m512i low = _mm512_loadu_si512(row + quarter * 64);
    __m512i high = _mm512_loadu_si512(row + COF_MAX_COLOURS + quarter * 64);
    found->low = _mm512_mask_permutexvar_epi8(found->low, here, labels, low);
    found->high = _mm512_mask_permutexvar_epi8(found->high, here, labels, high);
}

/* Of a pixel: weights and weighted values, of both vectors of a strip. */
typedef struct Sums {
    __m512h weights[2], values[2];
} Sums;

INLINE void add_found(const Found *found, const __m512h rows[2], const __m512h values[2],
                      Sums *sums)
{
    __m512h first = _mm512_castsi512_ph(_mm512_unpacklo_epi8(found->low, found->high));
    __m512h second = _mm512_castsi512_ph(_mm512_unpackhi_epi8(found->low, found->high));
    sums->weights[0] = _mm512_fmadd_ph(first, rows[0], sums->weights[0]);
    sums->weights[1] = _mm512_fmadd_ph(second, rows[1], sums->weights[1]);
    sums->values[0] = _mm512_fmadd_ph(first, values[0], sums->values[0]);
    sums->values[1] = _mm512_fmadd_ph(second, values[1], sums->values[1]);
}

/* Two rows of values, weighed. */
INLINE __m512h weighed_rows(const Window *window, int row, int i, __m512h weights)
{
    __m256i upper = _mm256_loadu_si256((const __m256i *)&window->values[row][i]);
    __m256i lower = _mm256_loadu_si256((const __m256i *)&window->values[row + 1][i]);
    __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(upper), lower, 1);
    return _mm512_mul_ph(_mm512_castsi512_ph(both), weights);
}

/* Adds 16 taps of four rows of both pixels; the first is the i-th of a block. */
INLINE void add_strip(const Window *window, int strip, int x, int i, const uint8_t *one,
                      const uint8_t *two, Sums sums[2])
{
    __m512i labels = labels_of(window->labels + strip * ROWS, x + i);
    __mmask64 upper = _mm512_movepi8_mask(labels);
    __mmask64 odd = _mm512_movepi8_mask(_mm512_slli_epi16(labels, 1));
    const __mmask64 quarters[4] = {~upper & ~odd, ~upper & odd, upper & ~odd, upper & odd};
    Found found[2] = {{_mm512_setzero_si512(), _mm512_setzero_si512()},
                      {_mm512_setzero_si512(), _mm512_setzero_si512()}};
    for (int quarter = 0; quarter < 4; quarter++)
        if (quarters[quarter] != 0) {
            look_up_quarter(one, quarter, quarters[quarter], labels, &found[0]);
            look_up_quarter(two, quarter, quarters[quarter], labels, &found[1]);
        }
    const __m512h rows[2] = {_mm512_load_ph(window->rows[strip][0]),
                             _mm512_load_ph(window->rows[strip][1])};
    const __m512h values[2] = {weighed_rows(window, strip * ROWS, i, rows[0]),
                               weighed_rows(window, strip * ROWS + 2, i, rows[1])};
    add_found(&found[0], rows, values, &sums[0]);
    add_found(&found[1], rows, values, &sums[1]);
}

/* Both rows of both vectors, in single precision, weighed by columns. */
INLINE __m512 total(const __m512h v[2], const float *columns)
{
    __m512h both = _mm512_add_ph(v[0], v[1]);
    __m256i lower = _mm512_extracti64x4_epi64(_mm512_castph_si512(both), 1);
    __m256h sum = _mm256_add_ph(_mm512_castph512_ph256(both), _mm256_castsi256_ph(lower));
    return _mm512_mul_ps(_mm512_cvtph_ps(_mm256_castph_si256(sum)), _mm512_load_ps(columns));
}

INLINE void sum_two(const Window *window, int x, int i, const uint8_t *one, const uint8_t *two,
                    PairSums *out)
{
    Sums sums[2];
    for (int pixel = 0; pixel < 2; pixel++)
        for (int half = 0; half < 2; half++)
            sums[pixel].weights[half] = sums[pixel].values[half] = _mm512_setzero_ph();
    for (int strip = 0; strip < window->strips; strip++)
        add_strip(window, strip, x, i, one, two, sums);
    Pair pair;
    for (int pixel = 0; pixel < 2; pixel++) {
        pair.sums[pixel][0] = total(sums[pixel].weights, window->columns[pixel]);
        pair.sums[pixel][1] = total(sums[pixel].values, window->columns[pixel]);
    }
    finish_pair(2, &pair, out);
}

static void sum_block(const CofiTaps *taps, const Window *window, int x, int n, PairSums *sums)
{
    const uint8_t *centre = taps->labels[taps->radius] + x + taps->radius;
    for (int i = 0; i < n; i += 2, centre += 2) {
        const uint8_t *one = taps->halves + (ptrdiff_t)centre[0] * COFI_MATRIX_HALVES;
        const uint8_t *two = taps->halves + (ptrdiff_t)centre[1] * COFI_MATRIX_HALVES;
        sum_two(window, x, i, one, two, &sums[i / 2]);
    }
}

/* Where weights are too small for halves, the values are found in single precision. */
static void filter_block(const CofiTaps *taps, const Window *window, int x, int n, float *values,
                         uint8_t *mixed)
{
    PairSums sums[BLOCK / 2];
    float weights[BLOCK];
    int small = 0;
    sum_block(taps, window, x, n, sums);
    divide_sums(sums, 0, 2, n, weights, &values);
    for (int i = 0; i < n; i++) {
        values[i] += MIDDLE;
        mixed[i] = 1;
        small |= !(weights[i] > LEAST_WEIGHT);
    }
    for (int i = 0; small && i < n; i++)
        if (!(weights[i] > LEAST_WEIGHT)) {
            float *value = values + i;
            cofi_filter_row_vbmi(taps, x + i, 1, &value, mixed + i);
        }
}

static bool is_coarse(const CofiTaps *taps)
{
    return taps->halves && taps->k > COFI_FEW_LABELS && taps->n_bands == 1 && taps->plain &&
           2 * taps->radius + 1 < MOST_ROWS;
}

void cofi_filter_row_fp16(const CofiTaps *taps, int x, int n, float *const *values, uint8_t *mixed)
{
    if (!is_coarse(taps)) {
        cofi_filter_row_vbmi(taps, x, n, values, mixed);
        return;
    }
    Window window;
    cut_window(taps, &window);
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        load_values(taps, x + first, count, &window);
        filter_block(taps, &window, x + first, count, values[0] + first, mixed + first);
    }
}
#endif
