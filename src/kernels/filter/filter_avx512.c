/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter with AVX-512. A vector holds 16 neighbours of a row. The weights of up to 32
 * labels are in two registers, and one permute looks up 16 of them. With more labels, weights are
 * gathered. Two adjacent pixels share the loads of the taps that both windows contain. */
#if defined(__x86_64__)
#include "kernels/filter/filter_512.h"

/* Constants of a loop: the compiler generates one loop for each kind. */
typedef struct Kind {
    int planes;
    bool few;    /* at most 32 labels */
    bool narrow; /* two windows side by side fit in one vector */
    bool plain;  /* alphas are 1 */
} Kind;

typedef struct WeightLookup {
    const float *row; /* of the matrix */
    __m512 low, high; /* its first 32 entries */
} WeightLookup;

INLINE WeightLookup weight_lookup(const CofiTaps *taps, int label)
{
    const float *row = taps->matrix + (ptrdiff_t)label * cofi_matrix_stride(taps->k);
    return (WeightLookup){row, _mm512_loadu_ps(row), _mm512_loadu_ps(row + LANES)};
}

INLINE __m512 weights_of(const WeightLookup *w, __m512i labels, bool few)
{
    return few ? _mm512_permutex2var_ps(w->low, labels, w->high)
               : _mm512_i32gather_ps(labels, w->row, 4);
}

/* Adds 16 taps to the sums of both pixels. */
INLINE void add_taps(Kind kind, const uint8_t *labels, const float *planes, ptrdiff_t stride,
                     __m512 gauss1, __m512 gauss2, const WeightLookup *one, const WeightLookup *two,
                     Pair *pair)
{
    __m512i indices = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)labels));
    __m512 w1 = _mm512_mul_ps(weights_of(one, indices, kind.few), gauss1);
    __m512 w2 = _mm512_mul_ps(weights_of(two, indices, kind.few), gauss2);
    add_weighted(kind.planes, kind.plain, w1, w2, planes, stride, pair);
}

INLINE void add_rows(const CofiTaps *taps, Kind kind, int first_plane, int x, int first, int last,
                     const WeightLookup *one, const WeightLookup *two, Pair *pair)
{
    ptrdiff_t stride = taps->stride;
    const float *weights = taps->weights + first * taps->weight_stride;
    int columns = kind.narrow ? 1 : 2 * taps->radius + 2;
    for (int row = first; row < last; row++, weights += taps->weight_stride) {
        const uint8_t *labels = taps->labels[row] + x;
        const float *planes = taps->alphas[row] + first_plane * stride + x;
        for (int column = 0; column < columns; column += LANES)
            add_taps(kind, labels + column, planes + column, stride,
                     _mm512_loadu_ps(weights + column), _mm512_loadu_ps(weights + column - 1), one,
                     two, pair);
    }
}

INLINE void sum_two(const CofiTaps *taps, Kind kind, int first_plane, int x, PairSums *sums)
{
    int rows = 2 * taps->radius + 1;
    const uint8_t *centre = taps->labels[taps->radius] + x + taps->radius;
    WeightLookup one = weight_lookup(taps, centre[0]), two = weight_lookup(taps, centre[1]);
    Pair total = {0};
    int columns = (rows + LANES) / LANES, step = MAX_STEPS / columns;
    for (int row = 0; row < rows; row += step) {
        Pair part = {0};
        int last = row + step < rows ? row + step : rows;
        add_rows(taps, kind, first_plane, x, row, last, &one, &two, &part);
        add_pair(kind.planes, &part, &total);
    }
    finish_pair(kind.planes, &total, sums);
}

INLINE void sum_kind(const CofiTaps *taps, Kind kind, int first_plane, int x, int n, PairSums *sums)
{
    for (int i = 0; i < n; i += 2)
        sum_two(taps, kind, first_plane, x + i, &sums[i / 2]);
}

/* The common case: three bands, few labels and windows of up to 15 pixels. There is no loop over
 * columns, the weights are in one array, and even and odd rows have separate sums, to hide
 * latencies. */
#define COMMON_RADIUS 7
#define COMMON_ROWS (2 * COMMON_RADIUS + 1)

typedef struct CommonCase {
    _Alignas(64) float gauss[COMMON_ROWS + 1][2][LANES]; /* of the first and of the second pixel;
                                                          * last, zeros */
    const uint8_t *labels[COMMON_ROWS + 1];              /* last, the first once more */
    const float *alphas[COMMON_ROWS + 1];
    int radius;
} CommonCase;

static void fill_common(const CofiTaps *taps, CommonCase *u)
{
    int rows = 2 * taps->radius + 1;
    u->radius = taps->radius;
    for (int row = 0; row <= rows; row++) {
        int used = row < rows ? row : 0;
        const float *weights = taps->weights + used * taps->weight_stride;
        __mmask16 all = row < rows ? 0xffff : 0;
        _mm512_store_ps(u->gauss[row][0], _mm512_maskz_loadu_ps(all, weights));
        _mm512_store_ps(u->gauss[row][1], _mm512_maskz_loadu_ps(all, weights - 1));
        u->labels[row] = taps->labels[used];
        u->alphas[row] = taps->alphas[used];
    }
}

INLINE void sum_common(const CofiTaps *taps, const CommonCase *u, Kind kind, int radius, int x,
                       PairSums *sums)
{
    const uint8_t *centre = u->labels[radius] + x + radius;
    WeightLookup one = weight_lookup(taps, centre[0]), two = weight_lookup(taps, centre[1]);
    Pair even = {0}, odd = {0};
    for (int row = 0; row <= 2 * radius + 1; row += 2) {
        const float(*gauss)[LANES] = u->gauss[row];
        add_taps(kind, u->labels[row] + x, u->alphas[row] + x, taps->stride,
                 _mm512_load_ps(gauss[0]), _mm512_load_ps(gauss[1]), &one, &two, &even);
        add_taps(kind, u->labels[row + 1] + x, u->alphas[row + 1] + x, taps->stride,
                 _mm512_load_ps(gauss[2]), _mm512_load_ps(gauss[3]), &one, &two, &odd);
    }
    add_pair(kind.planes, &odd, &even);
    finish_pair(kind.planes, &even, sums);
}

typedef void SumBlock(const CofiTaps *taps, const CommonCase *u, int x, int n, PairSums *sums);

/* One function for each case: in a single function, the compiler would run out of registers. */
#define SUM_BLOCK(NAME, PLAIN, RADIUS) \
    static __attribute__((noinline)) void NAME(const CofiTaps *taps, const CommonCase *u, int x, \
                                               int n, PairSums *sums) \
    { \
        for (int i = 0; i < n; i += 2) \
            sum_common(taps, u, (Kind){4, true, true, PLAIN}, RADIUS, x + i, &sums[i / 2]); \
    }

SUM_BLOCK(sum_plain, true, COMMON_RADIUS)
SUM_BLOCK(sum_alphas, false, COMMON_RADIUS)
SUM_BLOCK(sum_small_plain, true, u->radius)
SUM_BLOCK(sum_small_alphas, false, u->radius)

static SumBlock *choose_sum(const CofiTaps *taps)
{
    if (taps->radius == COMMON_RADIUS)
        return taps->plain ? sum_plain : sum_alphas;
    return taps->plain ? sum_small_plain : sum_small_alphas;
}

static bool is_common(const CofiTaps *taps)
{
    return taps->k <= COFI_FEW_LABELS && taps->radius <= COMMON_RADIUS && taps->n_bands == 3;
}

static void filter_common(const CofiTaps *taps, int x, int n, float *const *values,
                          uint8_t *has_weight)
{
    CommonCase common;
    float weights[BLOCK];
    PairSums sums[BLOCK / 2];
    SumBlock *sum_block = choose_sum(taps);
    fill_common(taps, &common);
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        float *const block[3] = {values[0] + first, values[1] + first, values[2] + first};
        sum_block(taps, &common, x + first, count, sums);
        divide_sums(sums, 0, 4, count, weights, block);
        for (int i = 0; i < count; i++)
            has_weight[first + i] = weights[i] > 0;
    }
}

static void sum_planes(const CofiTaps *taps, int first_plane, int planes, int x, int n,
                       PairSums *sums)
{
    bool few = taps->k <= COFI_FEW_LABELS, narrow = 2 * taps->radius + 2 <= LANES;
#define CASE(PLANES, FEW, NARROW) \
    if (planes == PLANES && few == FEW && narrow == NARROW) \
    sum_kind(taps, (Kind){PLANES, FEW, NARROW, false}, first_plane, x, n, sums)
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

static void filter_all_taps(const CofiTaps *taps, int x, int n, float *const *values,
                            uint8_t *has_weight)
{
    if (is_common(taps))
        filter_common(taps, x, n, values, has_weight);
    else
        filter_blocks(taps, x, n, sum_planes, values, has_weight);
}

#include "kernels/vectors_avx512.h"

#define LEVEL(name) name##_avx512
#define ColumnLookup WeightLookup
#define load_column_lookup weight_lookup
#define COLUMN_ROWS 2
#define COLUMN_CHAINS 2

INLINE void look_up_columns(const WeightLookup *w, const uint8_t *const rows[2], Vector found[2][1])
{
    for (int i = 0; i < 2; i++) {
        __m512i labels = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)rows[i]));
        found[i][0] = weights_of(w, labels, true);
    }
}

#define SET_OF_BLOCK
INLINE uint32_t set_of_block(const uint8_t *labels)
{
    __m512i shifts = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)labels));
    __m512i sets = _mm512_sllv_epi32(_mm512_set1_epi32(1), shifts);
    return (uint32_t)_mm512_reduce_or_epi32(sets);
}

INLINE void sum_lanes(const Vector v[8], float sums[8])
{
    __m512 first = fold_four(v[0], v[1], v[2], v[3]), second = fold_four(v[4], v[5], v[6], v[7]);
    /* In quarter i, lanes 0 and 1 become the sums of v[i] and v[4 + i]. */
    __m512 both =
        _mm512_add_ps(_mm512_unpacklo_ps(first, second), _mm512_unpackhi_ps(first, second));
    both = _mm512_add_ps(both, _mm512_permute_ps(both, 0x4e));
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 4, 8, 12, 1, 5, 9, 13);
    _mm256_storeu_ps(sums, _mm512_castps512_ps256(_mm512_permutexvar_ps(order, both)));
}

#include "kernels/filter/filter_columns.h"
#endif
