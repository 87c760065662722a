/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter with AVX-512. A vector holds 16 neighbours of a row. The weights of up to 32
 * labels are two registers, from which one permute takes 16 at once; more labels are gathered. Two
 * pixels side by side share the loads of what their windows have in common. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdbool.h>

#include "arithmetic.h"
#include "cof/cof.h"
#include "kernels.h"

#define INLINE static inline __attribute__((always_inline))

#define LANES 16
#define MOST_PLANES 4 /* summed in one go: the votes and three bands, or four bands */

/* Vectors that are added before their sum joins the others: rounding errors stay small in large
 * windows. */
#define MOST_STEPS 32

/* Pixels whose sums are divided at once. */
#define BLOCK 128

/* What a loop knows before it runs: the compiler makes one of each kind. */
typedef struct Kind {
    int planes;
    bool few;    /* at most 32 labels */
    bool narrow; /* two windows side by side fit in one vector */
} Kind;

typedef struct Weigher {
    const float *row; /* of the matrix */
    __m512 low, high; /* its first 32 entries */
} Weigher;

INLINE Weigher weigher(const CofiTaps *taps, int label)
{
    const float *row = taps->matrix + (ptrdiff_t)label * cofi_matrix_stride(taps->k);
    return (Weigher){row, _mm512_loadu_ps(row), _mm512_loadu_ps(row + LANES)};
}

INLINE __m512 weights_of(const Weigher *w, __m512i labels, bool few)
{
    return few ? _mm512_permutex2var_ps(w->low, labels, w->high)
               : _mm512_i32gather_ps(labels, w->row, 4);
}

typedef struct Pair {
    __m512 sums[2][MOST_PLANES]; /* of pixel x and of pixel x + 1 */
} Pair;

/* Adds 16 taps of both pixels. */
INLINE void add_taps(Kind kind, const uint8_t *labels, const float *planes, ptrdiff_t stride,
                     const float *weights, const Weigher *one, const Weigher *two, Pair *pair)
{
    __m512i indices = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)labels));
    __m512 w1 = _mm512_mul_ps(weights_of(one, indices, kind.few), _mm512_loadu_ps(weights));
    __m512 w2 = _mm512_mul_ps(weights_of(two, indices, kind.few), _mm512_loadu_ps(weights - 1));
    for (int plane = 0; plane < kind.planes; plane++) {
        __m512 values = _mm512_loadu_ps(planes + plane * stride);
        __asm__("" : "+v"(values)); /* one load for both, not two */
        pair->sums[0][plane] = _mm512_fmadd_ps(w1, values, pair->sums[0][plane]);
        pair->sums[1][plane] = _mm512_fmadd_ps(w2, values, pair->sums[1][plane]);
    }
}

INLINE void add_rows(const CofiTaps *taps, Kind kind, int first_plane, int x, int first, int last,
                     const Weigher *one, const Weigher *two, Pair *pair)
{
    ptrdiff_t stride = taps->stride;
    const float *weights = taps->weights + first * taps->weight_stride;
    for (int row = first; row < last; row++, weights += taps->weight_stride) {
        const uint8_t *labels = taps->labels[row] + x;
        const float *planes = taps->votes[row] + first_plane * stride + x;
        if (kind.narrow)
            add_taps(kind, labels, planes, stride, weights, one, two, pair);
        else
            for (int column = 0; column < 2 * taps->radius + 2; column += LANES)
                add_taps(kind, labels + column, planes + column, stride, weights + column, one, two,
                         pair);
    }
}

/* The sums of eight vectors' lanes. */
INLINE __m256 sums_of_lanes(const __m512 v[8])
{
    __m256 half[8];
    for (int i = 0; i < 8; i++)
        half[i] = _mm256_add_ps(_mm512_castps512_ps256(v[i]), _mm512_extractf32x8_ps(v[i], 1));
    __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(half[0], half[1]), _mm256_hadd_ps(half[2], half[3]));
    __m256 b = _mm256_hadd_ps(_mm256_hadd_ps(half[4], half[5]), _mm256_hadd_ps(half[6], half[7]));
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}

/* sums[0..3] of pixel x, [4..7] of pixel x + 1. The second one's taps lie one lane further: turned
 * back, they are added in the same order. */
INLINE void finish_pair(Kind kind, const Pair *pair, float sums[2 * MOST_PLANES])
{
    __m512 all[2 * MOST_PLANES];
    for (int plane = 0; plane < MOST_PLANES; plane++) {
        int used = plane < kind.planes ? plane : 0;
        __m512i second = _mm512_castps_si512(pair->sums[1][used]);
        all[plane] = pair->sums[0][used];
        all[MOST_PLANES + plane] = _mm512_castsi512_ps(_mm512_alignr_epi32(second, second, 1));
    }
    _mm256_storeu_ps(sums, sums_of_lanes(all));
}

INLINE void add_pair(Kind kind, const Pair *part, Pair *total)
{
    for (int pixel = 0; pixel < 2; pixel++)
        for (int plane = 0; plane < kind.planes; plane++)
            total->sums[pixel][plane] =
                _mm512_add_ps(total->sums[pixel][plane], part->sums[pixel][plane]);
}

INLINE void sum_two(const CofiTaps *taps, Kind kind, int first_plane, int x,
                    float sums[2 * MOST_PLANES])
{
    int rows = 2 * taps->radius + 1;
    const uint8_t *centre = taps->labels[taps->radius] + x + taps->radius;
    Weigher one = weigher(taps, centre[0]), two = weigher(taps, centre[1]);
    Pair total = {0};
    if (kind.narrow) {
        /* Two chains of sums, so that one need not wait for the other. */
        Pair other = {0};
        int row = 0;
        for (; row + 1 < rows; row += 2) {
            add_rows(taps, kind, first_plane, x, row, row + 1, &one, &two, &total);
            add_rows(taps, kind, first_plane, x, row + 1, row + 2, &one, &two, &other);
        }
        add_rows(taps, kind, first_plane, x, row, rows, &one, &two, &total);
        add_pair(kind, &other, &total);
        finish_pair(kind, &total, sums);
        return;
    }
    int columns = (rows + LANES) / LANES, step = MOST_STEPS / columns;
    for (int row = 0; row < rows; row += step) {
        Pair part = {0};
        int last = row + step < rows ? row + step : rows;
        add_rows(taps, kind, first_plane, x, row, last, &one, &two, &part);
        add_pair(kind, &part, &total);
    }
    finish_pair(kind, &total, sums);
}

/* Writes the means of the bands among the planes; the weights they are divided by come with the
 * first plane, and stay in `weights`. n is at most BLOCK. */
INLINE void filter_planes(const CofiTaps *taps, Kind kind, int first_plane, int x, int n,
                          float *weights, float *const *values)
{
    float sums[BLOCK / 2][2 * MOST_PLANES];
    for (int i = 0; i < n; i += 2)
        sum_two(taps, kind, first_plane, x + i, sums[i / 2]);
    for (int i = 0; i < n && first_plane == 0; i++)
        weights[i] = sums[i / 2][i % 2 * MOST_PLANES];
    for (int plane = first_plane == 0; plane < kind.planes; plane++) {
        float *means = values[first_plane + plane - 1];
        for (int i = 0; i < n; i++)
            means[i] = cofi_to_finite(sums[i / 2][i % 2 * MOST_PLANES + plane] / weights[i]);
    }
}

static void choose_kind(const CofiTaps *taps, int first_plane, int planes, int x, int n,
                        float *weights, float *const *values)
{
    bool few = taps->k <= 32, narrow = 2 * taps->radius + 2 <= LANES;
#define CASE(PLANES, FEW, NARROW) \
    if (planes == PLANES && few == FEW && narrow == NARROW) \
    filter_planes(taps, (Kind){PLANES, FEW, NARROW}, first_plane, x, n, weights, values)
    CASE(1, true, true);
    CASE(2, true, true);
    CASE(3, true, true);
    CASE(4, true, true);
    CASE(1, true, false);
    CASE(2, true, false);
    CASE(3, true, false);
    CASE(4, true, false);
    CASE(1, false, true);
    CASE(2, false, true);
    CASE(3, false, true);
    CASE(4, false, true);
    CASE(1, false, false);
    CASE(2, false, false);
    CASE(3, false, false);
    CASE(4, false, false);
#undef CASE
}

void cofi_filter_row_avx512(const CofiTaps *taps, int x, int n, float *const *values,
                            uint8_t *mixed)
{
    float weights[BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        float *block[COF_MAX_BANDS];
        for (int band = 0; band < taps->n_bands; band++)
            block[band] = values[band] + first;
        for (int plane = 0; plane <= taps->n_bands; plane += MOST_PLANES) {
            int left = 1 + taps->n_bands - plane;
            choose_kind(taps, plane, left < MOST_PLANES ? left : MOST_PLANES, x + first, count,
                        weights, block);
        }
        for (int i = 0; i < count; i++)
            mixed[first + i] = weights[i] > 0;
    }
}
#endif
