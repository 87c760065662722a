/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter with AVX2. The weights of up to 32 labels are kept in registers as four planes
 * of bytes. Shuffles look up 32 labels at once, and unpacking reassembles the floats. */
#if defined(__x86_64__)
#include <stdbool.h>
#include <stddef.h>

#include "kernels/inline.h"
#include "kernels/vectors_avx2.h"

#define LEVEL(name) name##_avx2
#define TOGETHER 2
#define KEEP_IN_REGISTER(v) __asm__("" : "+x"(v))

INLINE Vector rotated(Vector v)
{
    return _mm256_permutevar8x32_ps(v, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
}

INLINE void sum_lanes(const Vector v[8], float sums[8])
{
    __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
    __m256 b = _mm256_hadd_ps(_mm256_hadd_ps(v[4], v[5]), _mm256_hadd_ps(v[6], v[7]));
    store(sums,
          _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31)));
}

/* The planes for shuffles, which look up within each half of a register: both halves are equal. */
typedef struct WeightLookup {
    __m256i low[4], high[4];
} WeightLookup;

INLINE WeightLookup load_weights(const uint8_t *bytes)
{
    WeightLookup w;
    const __m128i *halves = (const __m128i *)bytes;
    for (int byte = 0; byte < 4; byte++) {
        w.low[byte] = _mm256_broadcastsi128_si256(_mm_loadu_si128(halves + 2 * byte));
        w.high[byte] = _mm256_broadcastsi128_si256(_mm_loadu_si128(halves + 2 * byte + 1));
    }
    return w;
}

/* Arranges the labels of two rows so that unpacking, which works within halves, restores the order
 * of the rows: labels 0..3 and 8..11 of both rows in the lower half, 4..7 and 12..15 in the upper
 * half. */
INLINE __m256i interleaved(const uint8_t *a, const uint8_t *b)
{
    __m256i labels = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)a));
    labels = _mm256_inserti128_si256(labels, _mm_loadu_si128((const __m128i *)b), 1);
    return _mm256_permutevar8x32_epi32(labels, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
}

/* A shuffle gives 0 where the top bit of the index is set. Adding 0x70 sets it for labels from 16
 * on, for the lower entries; flipping it then sets it for labels below 16, for the upper entries.
 */
INLINE void look_up_rows(const WeightLookup *w, const uint8_t *const rows[2], Vector found[2][2])
{
    __m256i low = _mm256_add_epi8(interleaved(rows[0], rows[1]), _mm256_set1_epi8(0x70));
    __m256i high = _mm256_xor_si256(low, _mm256_set1_epi8((char)0x80)), bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = _mm256_or_si256(_mm256_shuffle_epi8(w->low[i], low),
                                   _mm256_shuffle_epi8(w->high[i], high));
    __m256i a1 = _mm256_unpacklo_epi8(bytes[0], bytes[1]);
    __m256i a2 = _mm256_unpacklo_epi8(bytes[2], bytes[3]);
    __m256i b1 = _mm256_unpackhi_epi8(bytes[0], bytes[1]);
    __m256i b2 = _mm256_unpackhi_epi8(bytes[2], bytes[3]);
    found[0][0] = _mm256_castsi256_ps(_mm256_unpacklo_epi16(a1, a2));
    found[0][1] = _mm256_castsi256_ps(_mm256_unpackhi_epi16(a1, a2));
    found[1][0] = _mm256_castsi256_ps(_mm256_unpacklo_epi16(b1, b2));
    found[1][1] = _mm256_castsi256_ps(_mm256_unpackhi_epi16(b1, b2));
}

INLINE Vector blend_lanes(const Vector lanes[8])
{
    Vector a = _mm256_blend_ps(lanes[0], lanes[1], 0xaa);
    Vector b = _mm256_blend_ps(lanes[2], lanes[3], 0xaa);
    Vector c = _mm256_blend_ps(lanes[4], lanes[5], 0xaa);
    Vector d = _mm256_blend_ps(lanes[6], lanes[7], 0xaa);
    return _mm256_blend_ps(_mm256_blend_ps(a, b, 0xcc), _mm256_blend_ps(c, d, 0xcc), 0xf0);
}

/* A load that repeats an entry in all lanes, and blending, take less than inserting. */
INLINE void load_entries(const float *one, const float *two, bool alike, const uint8_t *labels,
                         Vector pair[2])
{
    Vector first[8], second[8];
    UNROLL
    for (int i = 0; i < 8; i++) {
        ptrdiff_t label = labels[i];
        first[i] = _mm256_broadcast_ss(one + label);
        second[i] = alike ? first[i] : _mm256_broadcast_ss(two + label);
    }
    pair[0] = blend_lanes(first);
    pair[1] = alike ? pair[0] : blend_lanes(second);
}

#include "kernels/filter/filter_pairs.h"

#define ColumnLookup WeightLookup
#define load_column_lookup(taps, label) load_weights((taps)->bytes + (label)*4 * FEW)
#define COLUMN_ROWS TOGETHER
#define COLUMN_CHAINS 1
#define look_up_columns look_up_rows

#include "kernels/filter/filter_columns.h"
#endif
