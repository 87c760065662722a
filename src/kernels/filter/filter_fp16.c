/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter with AVX-512 FP16, for bytes that are averaged as they are, and more than 32
 * labels (8-bit grey). Half precision is enough for them: the weights are off by 2^-11 of
 * themselves at most, the means by a small part of a byte's step. 64 entries of the matrix are
 * looked up at once: often no more are needed, since values that stand together are alike.
 */
#if defined(__x86_64__) && defined(__AVX512FP16__)
#include "kernels/filter/filter_512.h"

/* A strip is four rows of the window. Column by column, eight columns of it fill a vector of
 * halves, and 16 columns are what two pixels need. */
#define ROWS 4
#define STRIPS 4
#define MAX_ROWS (ROWS * STRIPS)
#define HALVES 32

/* Pixels that are looked up alike, and how many groups of them a block has. */
#define GROUP LANES
#define GROUPS (BLOCK / GROUP)

/* Entries that are looked up at once. */
#define QUARTER 64

/* Bytes are averaged around their middle: smaller numbers are more exact. */
#define MIDDLE 128.0f

/* Rows of `halves` go up to 16. Weights that are so much smaller may have been rounded to nothing.
 */
#define MIN_WEIGHT 0.01f

/* Which labels stand around a group: base, in all four bytes, and those after it, up to 1, 2 or 4
 * quarters. */
typedef struct Span {
    uint32_t base;
    int quarters;
} Span;

typedef struct Window {
    int strips;
    const uint8_t *labels[MAX_ROWS];
    const float *values[MAX_ROWS];
    _Alignas(64) _Float16 rows[STRIPS][HALVES];  /* weights of rows, for every column */
    _Alignas(64) _Float16 columns[2][2][HALVES]; /* of both pixels: weights of columns */
    Span spans[GROUPS];
    /* Around the pixels of a block, beyond which stands anything: labels, in both bytes, and values
     * times the weights of their rows. */
    _Alignas(64) uint16_t indices[STRIPS][ROWS * (BLOCK + GROUP)];
    _Alignas(64) _Float16 weighed[STRIPS][ROWS * (BLOCK + GROUP)];
} Window;

/* Where there are no more rows, the last one again, without weight. */
static void cut_window(const CofiTaps *taps, Window *window)
{
    int side = 2 * taps->radius + 1;
    float unit = 1 / taps->gauss[taps->radius];
    window->strips = (side + ROWS - 1) / ROWS;
    for (int row = 0; row < MAX_ROWS; row++) {
        int real = row < side ? row : side - 1;
        window->labels[row] = taps->labels[real];
        window->values[row] = taps->alphas[real] + taps->stride;
        for (int i = 0; i < HALVES; i += ROWS)
            window->rows[row / ROWS][i + row % ROWS] =
                (_Float16)(row < side ? taps->gauss[row] * unit : 0);
    }
    for (int pixel = 0; pixel < 2; pixel++)
        for (int i = 0; i < 2 * HALVES; i++) {
            int column = i / ROWS - pixel;
            window->columns[pixel][i / HALVES][i % HALVES] =
                (_Float16)(column >= 0 && column < side ? taps->gauss[column] * unit : 0);
        }
}

INLINE int least_byte(__m512i bytes)
{
    __m256i half =
        _mm256_min_epu8(_mm512_castsi512_si256(bytes), _mm512_extracti64x4_epi64(bytes, 1));
    __m128i some = _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    some = _mm_min_epu8(some, _mm_srli_epi16(some, 8)); /* the upper byte of each word is 0 now */
    return _mm_cvtsi128_si32(_mm_minpos_epu16(some)) & 0xff;
}

INLINE int most_byte(__m512i bytes)
{
    return 255 - least_byte(_mm512_xor_si512(bytes, _mm512_set1_epi8(-1)));
}

static Span span_of(int least, int most)
{
    int n = most - least + 1, quarters = n <= QUARTER ? 1 : n <= 2 * QUARTER ? 2 : 4;
    int last = COF_MAX_COLOURS - quarters * QUARTER;
    return (Span){.base = 0x01010101u * (uint32_t)(least < last ? least : last),
                  .quarters = quarters};
}

/* Labels of eight columns of a strip, from those of its rows, each in both bytes of a word. */
INLINE __m512i eight_columns(__m512i labels, int first)
{
    const __m512i order =
        _mm512_setr_epi32(0x10100000, 0x30302020, 0x11110101, 0x31312121, 0x12120202, 0x32322222,
                          0x13130303, 0x33332323, 0x14140404, 0x34342424, 0x15150505, 0x35352525,
                          0x16160606, 0x36362626, 0x17170707, 0x37372727);
    __m512i place = _mm512_add_epi8(order, _mm512_set1_epi8((char)first));
    return _mm512_permutexvar_epi8(place, labels);
}

/* The labels around n pixels from x on, and the span of each group: of its own columns and of as
 * many after them. */
static void load_all_labels(Window *window, int x, int n)
{
    int least = 0, most = 0;
    for (int i = 0; i < n + GROUP; i += GROUP) {
        __m512i low = _mm512_set1_epi8(-1), high = _mm512_setzero_si512();
        for (int strip = 0; strip < window->strips; strip++) {
            __m512i labels = load_labels(window->labels + strip * ROWS, x + i);
            uint16_t *to = window->indices[strip] + ROWS * i;
            _mm512_store_si512(to, eight_columns(labels, 0));
            _mm512_store_si512(to + HALVES, eight_columns(labels, 8));
            low = _mm512_min_epu8(low, labels);
            high = _mm512_max_epu8(high, labels);
        }
        int low_here = least_byte(low), high_here = most_byte(high);
        if (i > 0)
            window->spans[i / GROUP - 1] =
                span_of(least < low_here ? least : low_here, most > high_here ? most : high_here);
        least = low_here;
        most = high_here;
    }
}

/* 16 values of two rows each. */
INLINE __m512i halves_of(const float *upper, const float *lower)
{
    __m512 middle = _mm512_set1_ps(MIDDLE);
    __m256i one = _mm512_cvtps_ph(_mm512_sub_ps(_mm512_loadu_ps(upper), middle), 0);
    __m256i two = _mm512_cvtps_ph(_mm512_sub_ps(_mm512_loadu_ps(lower), middle), 0);
    return _mm512_inserti64x4(_mm512_castsi256_si512(one), two, 1);
}

/* Values of eight columns of a strip, weighed. What lies beyond the image may be anything, but must
 * not be more than weights of 0 can make vanish. */
INLINE void weigh_columns(__m512i upper, __m512i lower, int first, __m512h weights, _Float16 *to)
{
    const __m512i order =
        _mm512_setr_epi32(0x00100000, 0x00300020, 0x00110001, 0x00310021, 0x00120002, 0x00320022,
                          0x00130003, 0x00330023, 0x00140004, 0x00340024, 0x00150005, 0x00350025,
                          0x00160006, 0x00360026, 0x00170007, 0x00370027);
    __m512i place = _mm512_add_epi16(order, _mm512_set1_epi16((short)first));
    __m512h values = _mm512_castsi512_ph(_mm512_permutex2var_epi16(upper, place, lower));
    values = _mm512_max_ph(values, _mm512_set1_ph((_Float16)-MIDDLE));
    values = _mm512_min_ph(values, _mm512_set1_ph((_Float16)MIDDLE));
    _mm512_store_ph(to, _mm512_mul_ph(values, weights));
}

static void load_all_values(Window *window, int x, int n)
{
    for (int strip = 0; strip < window->strips; strip++) {
        const float *const *rows = window->values + strip * ROWS;
        __m512h weights = _mm512_load_ph(window->rows[strip]);
        for (int i = 0; i < n + GROUP; i += GROUP) {
            __m512i upper = halves_of(rows[0] + x + i, rows[1] + x + i);
            __m512i lower = halves_of(rows[2] + x + i, rows[3] + x + i);
            _Float16 *to = window->weighed[strip] + ROWS * i;
            weigh_columns(upper, lower, 0, weights, to);
            weigh_columns(upper, lower, 8, weights, to + HALVES);
        }
    }
}

/* Of a row of the matrix, the entries of a span: low and high bytes of each quarter. */
typedef struct Entries {
    __m512i low[4], high[4];
} Entries;

INLINE Entries load_entries(const CofiTaps *taps, int label, const Span *span, int quarters)
{
    const uint8_t *row = taps->halves + (ptrdiff_t)label * COFI_MATRIX_HALVES + (span->base & 0xff);
    Entries entries;
    for (int quarter = 0; quarter < quarters; quarter++) {
        entries.low[quarter] = _mm512_loadu_si512(row + quarter * QUARTER);
        entries.high[quarter] = _mm512_loadu_si512(row + COF_MAX_COLOURS + quarter * QUARTER);
    }
    return entries;
}

INLINE __m512i look_up_quarter(__m512i found, const Entries *entries, int quarter, __mmask64 here,
                               __m512i index)
{
    const __mmask64 low = 0x5555555555555555u;
    found = _mm512_mask_permutexvar_epi8(found, here & low, index, entries->low[quarter]);
    return _mm512_mask_permutexvar_epi8(found, here & ~low, index, entries->high[quarter]);
}

INLINE __m512h look_up(const Entries *entries, int quarters, __m512i index)
{
    __m512i found = look_up_quarter(_mm512_setzero_si512(), entries, 0, ~(__mmask64)0, index);
    __mmask64 odd = _mm512_test_epi8_mask(index, _mm512_set1_epi8(QUARTER));
    __mmask64 upper = _mm512_movepi8_mask(index);
    if (quarters > 1)
        found = look_up_quarter(found, entries, 1, odd, index);
    if (quarters > 2) {
        found = look_up_quarter(found, entries, 2, upper & ~odd, index);
        found = look_up_quarter(found, entries, 3, upper & odd, index);
    }
    return _mm512_castsi512_ph(found);
}

/* Of a pixel: weights and weighted values of the first eight columns, and of the others. */
typedef struct Sums {
    __m512h weights[2], values[2];
} Sums;

/* Adds a strip of two pixels, of which the first is the i-th of its block. */
INLINE void add_strip(const Window *window, int strip, int quarters, int i,
                      const Entries entries[2], Sums sums[2])
{
    __m512i base = _mm512_set1_epi32((int)window->spans[i / GROUP].base);
    __m512h rows = _mm512_load_ph(window->rows[strip]);
    for (int half = 0; half < 2; half++) {
        int at = ROWS * i + half * HALVES;
        __m512i index = _mm512_loadu_si512(window->indices[strip] + at);
        index = _mm512_sub_epi8(index, base);
        __m512h values = _mm512_loadu_ph(window->weighed[strip] + at);
        for (int pixel = 0; pixel < 2; pixel++) {
            __m512h found = look_up(&entries[pixel], quarters, index);
            Sums *to = &sums[pixel];
            to->weights[half] = _mm512_fmadd_ph(found, rows, to->weights[half]);
            to->values[half] = _mm512_fmadd_ph(found, values, to->values[half]);
        }
    }
}

/* Columns, weighed. */
INLINE __m512h weigh(const __m512h halves[2], const _Float16 columns[2][HALVES])
{
    __m512h first = _mm512_mul_ph(halves[0], _mm512_load_ph(columns[0]));
    return _mm512_fmadd_ph(halves[1], _mm512_load_ph(columns[1]), first);
}

/* The lower and the upper 16 lanes of both, added. */
INLINE __m512h fold_two(__m512h a, __m512h b)
{
    __m512i x = _mm512_castph_si512(a), y = _mm512_castph_si512(b);
    return _mm512_add_ph(_mm512_castsi512_ph(_mm512_shuffle_i64x2(x, y, 0x44)),
                         _mm512_castsi512_ph(_mm512_shuffle_i64x2(x, y, 0xee)));
}

/* Each quarter of the result is a sum in four parts: weights and values of the first pixel, then of
 * the second. */
INLINE __m512 fold_pair(const Window *window, const Sums sums[2])
{
    __m512h of_pixel[2];
    for (int pixel = 0; pixel < 2; pixel++)
        of_pixel[pixel] = fold_two(weigh(sums[pixel].weights, window->columns[pixel]),
                                   weigh(sums[pixel].values, window->columns[pixel]));
    __m512i one = _mm512_castph_si512(of_pixel[0]), two = _mm512_castph_si512(of_pixel[1]);
    __m512h eighths = _mm512_add_ph(_mm512_castsi512_ph(_mm512_shuffle_i64x2(one, two, 0x88)),
                                    _mm512_castsi512_ph(_mm512_shuffle_i64x2(one, two, 0xdd)));
    __m512i bits = _mm512_castph_si512(eighths);
    __m512 first = _mm512_cvtph_ps(_mm512_castsi512_si256(bits));
    __m512 second = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(bits, 1));
    return _mm512_add_ps(_mm512_shuffle_f32x4(first, second, 0x88),
                         _mm512_shuffle_f32x4(first, second, 0xdd));
}

INLINE __m512 sum_pair(const CofiTaps *taps, const Window *window, int strips, int quarters, int i,
                       const uint8_t *labels)
{
    const Span *span = &window->spans[i / GROUP];
    const Entries entries[2] = {load_entries(taps, labels[0], span, quarters),
                                load_entries(taps, labels[1], span, quarters)};
    Sums sums[2];
    for (int pixel = 0; pixel < 2; pixel++)
        for (int half = 0; half < 2; half++)
            sums[pixel].weights[half] = sums[pixel].values[half] = _mm512_setzero_ph();
    for (int strip = 0; strip < strips; strip++)
        add_strip(window, strip, quarters, i, entries, sums);
    return fold_pair(window, sums);
}

/* Sums of four pairs: the parts of each quarter added, then weights and values of eight pixels. */
INLINE void finish_eight(const __m512 pairs[4], float *weights, float *values)
{
    __m512 first = _mm512_add_ps(_mm512_unpacklo_ps(pairs[0], pairs[1]),
                                 _mm512_unpackhi_ps(pairs[0], pairs[1]));
    __m512 second = _mm512_add_ps(_mm512_unpacklo_ps(pairs[2], pairs[3]),
                                  _mm512_unpackhi_ps(pairs[2], pairs[3]));
    __m512d a = _mm512_castps_pd(first), b = _mm512_castps_pd(second);
    __m512 sums = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)),
                                _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
    const __m512i order = _mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    sums = _mm512_permutexvar_ps(order, sums);
    _mm256_storeu_ps(weights, _mm512_castps512_ps256(sums));
    _mm256_storeu_ps(values, _mm512_extractf32x8_ps(sums, 1));
}

/* Weights and weighted values of eight pixels, of which the first is the i-th of its block. */
INLINE void sum_eight(const CofiTaps *taps, const Window *window, int strips, int quarters, int i,
                      const uint8_t *labels, float *weights, float *values)
{
    __m512 pairs[4];
    for (int pair = 0; pair < 4; pair++)
        pairs[pair] = sum_pair(taps, window, strips, quarters, i + 2 * pair, labels + 2 * pair);
    finish_eight(pairs, weights, values);
}

/* Of n pixels from x on; and of some more, which are anything. */
INLINE void sum_block(const CofiTaps *taps, const Window *window, int strips, int x, int n,
                      float weights[BLOCK], float values[BLOCK])
{
    const uint8_t *centre = taps->labels[taps->radius] + x + taps->radius;
    for (int i = 0; i < n; i += 8) {
        int quarters = window->spans[i / GROUP].quarters;
        if (quarters == 1)
            sum_eight(taps, window, strips, 1, i, centre + i, weights + i, values + i);
        else if (quarters == 2)
            sum_eight(taps, window, strips, 2, i, centre + i, weights + i, values + i);
        else
            sum_eight(taps, window, strips, 4, i, centre + i, weights + i, values + i);
    }
}

/* Where weights are too small for halves, the values are found in single precision. */
static void filter_block(const CofiTaps *taps, const Window *window, int x, int n, float *values,
                         uint8_t *has_weight)
{
    float weights[BLOCK], sums[BLOCK];
    int small = 0;
    if (window->strips == STRIPS)
        sum_block(taps, window, STRIPS, x, n, weights, sums);
    else
        sum_block(taps, window, window->strips, x, n, weights, sums);
    for (int i = 0; i < n; i++) {
        values[i] = sums[i] / weights[i] + MIDDLE;
        has_weight[i] = 1;
        small |= !(weights[i] > MIN_WEIGHT);
    }
    for (int i = 0; small && i < n; i++)
        if (!(weights[i] > MIN_WEIGHT)) {
            float *value = values + i;
            cofi_filter_row_vbmi(taps, x + i, 1, &value, has_weight + i);
        }
}

static bool is_coarse(const CofiTaps *taps)
{
    return taps->halves && taps->k > COFI_FEW_LABELS && taps->n_bands == 1 && taps->plain &&
           2 * taps->radius + 1 < MAX_ROWS;
}

void cofi_filter_row_fp16(const CofiTaps *taps, int x, int n, float *const *values,
                          uint8_t *has_weight)
{
    if (!is_coarse(taps)) {
        cofi_filter_row_vbmi(taps, x, n, values, has_weight);
        return;
    }
    Window window;
    cut_window(taps, &window);
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        load_all_labels(&window, x + first, count);
        load_all_values(&window, x + first, count);
        filter_block(taps, &window, x + first, count, values[0] + first, has_weight + first);
    }
}
#endif
