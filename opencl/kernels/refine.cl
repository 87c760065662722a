/* SPDX-License-Identifier: BSD-2-Clause */
/* Refinement: local linear models of the image (see filter/refine.h of libcof). */

#ifndef STEP /* of the fast filter, whose program needs none of these */

/* Working values become those of the samples that would be stored. */
KERNEL(ITEMS)
void round_bytes(GLOBAL const float *linear, GLOBAL const uint *encoding, int lab, int n,
                 GLOBAL float4 *values)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    float4 value = values[i], light = light_of_lab(value);
    values[i] = lab ? lab_of_light(linear[encoded(LANE(light, 0), encoding)],
                                   linear[encoded(LANE(light, 1), encoding)],
                                   linear[encoded(LANE(light, 2), encoding)])
                    : LANES((float)rounded(LANE(value, 0)), (float)rounded(LANE(value, 1)),
                            (float)rounded(LANE(value, 2)), 0.0f);
}

#ifdef COF_FP64
/* The same of samples of 16 bits. */
KERNEL(ITEMS)
void round_words(GLOBAL const float *linear, int lab, int n, GLOBAL float4 *values)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    float4 value = lab ? rgb_of_lab(values[i]) * SAME_LANES(65535.0f) : values[i];
    int first = rounded_word(LANE(value, 0)), second = rounded_word(LANE(value, 1)),
        third = rounded_word(LANE(value, 2));
    values[i] = lab ? lab_of_light(linear[first], linear[second], linear[third])
                    : LANES((float)first, (float)second, (float)third, 0.0f);
}
#endif

/* Marks pixels whose labels have weights in one of several palettes. */
KERNEL(ITEMS)
void mark_weights(GLOBAL const uchar *labels, GLOBAL const uchar *weighs, int is_first, int n,
                  GLOBAL uchar *marked)
{
    int i = (int)get_global_id(0);
    if (i < n)
        marked[i] = (uchar)((is_first ? 0 : marked[i]) | weighs[labels[i]]);
}

/* Of values whose range is 1: windows in which the image varies less are taken for flat. */
#define RIDGE 0.001f

/* What a window sums: I and the number of pixels; J and I0 I1; I0 J, I1 J and I2 J, each with the
 * square of its channel of I; I0 I2 and I1 I2. */
#define SUMS 6

HELPER float4 scaled(float4 value, const RefineShape *r)
{
    return FUSED(value, LANES(r->unit[0], r->unit[1], r->unit[2], 0.0f),
                 LANES(r->shift[0], r->shift[1], r->shift[2], 0.0f));
}

/* The image and the result at a pixel of the view, scaled, as the sums need them; 0 where there is
 * nothing to be summed. */
HELPER void load_tap(GLOBAL const float4 *image, GLOBAL const float4 *values,
                     GLOBAL const uchar *alphas, const PassShape *s, const RefineShape *r, int x,
                     int y, float4 *i, float4 *j)
{
    *i = *j = SAME_LANES(0.0f);
    if (x < 0 || x >= s->width || y < 0 || y >= s->height)
        return;
    size_t at = (size_t)y * s->width + x;
    if (s->alpha_bytes && !(alpha_at(alphas, s, at) > 0.0f))
        return;
    *i = scaled(image[at], r);
    *j = scaled(values[at], r);
    LANE(*i, 3) = 1.0f;
    LANE(*j, 3) = LANE(*i, 0) * LANE(*i, 1);
}

HELPER void add_tap(float4 i, float4 j, float4 *sums)
{
    float first = LANE(i, 0), second = LANE(i, 1), third = LANE(i, 2);
    sums[0] += i;
    sums[1] += j;
    LANE(j, 3) = first;
    sums[2] = FUSED(SAME_LANES(first), j, sums[2]);
    LANE(j, 3) = second;
    sums[3] = FUSED(SAME_LANES(second), j, sums[3]);
    LANE(j, 3) = third;
    sums[4] = FUSED(SAME_LANES(third), j, sums[4]);
    sums[5] = FUSED(SAME_LANES(third), LANES(first, second, 0.0f, 0.0f), sums[5]);
}

/* The result at a pixel by the model of its window: the mean of J, and the covariances of I and J
 * by the solution of (V + ridge) u = I - mean of I. */
HELPER float4 modelled(const float4 *sums, float4 image)
{
    float s0 = LANE(sums[0], 0), s1 = LANE(sums[0], 1), s2 = LANE(sums[0], 2);
    float n = LANE(sums[0], 3), share = RECIPROCAL(n), ridge = RIDGE * n;
    float g0 = s0 * share, g1 = s1 * share, g2 = s2 * share;
    float v00 = FUSED(-s0, g0, LANE(sums[2], 3)) + ridge, v01 = FUSED(-s0, g1, LANE(sums[1], 3)),
          v02 = FUSED(-s0, g2, LANE(sums[5], 0)), v11 = FUSED(-s1, g1, LANE(sums[3], 3)) + ridge,
          v12 = FUSED(-s1, g2, LANE(sums[5], 1)), v22 = FUSED(-s2, g2, LANE(sums[4], 3)) + ridge;
    float r0 = RECIPROCAL(v00), l10 = v01 * r0, l20 = v02 * r0;
    float r1 = RECIPROCAL(FUSED(-l10, v01, v11)), rest = FUSED(-l20, v01, v12), l21 = rest * r1;
    float r2 = RECIPROCAL(FUSED(-l21, rest, FUSED(-l20, v02, v22)));
    float d0 = LANE(image, 0) - g0, d1 = FUSED(-l10, d0, LANE(image, 1) - g1),
          d2 = FUSED(-l21, d1, FUSED(-l20, d0, LANE(image, 2) - g2));
    float u2 = d2 * r2, u1 = FUSED(-l21, u2, d1 * r1),
          u0 = FUSED(-l20, u2, FUSED(-l10, u1, d0 * r0));
    share = FUSED(-g0, u0, FUSED(-g1, u1, FUSED(-g2, u2, share)));
    float4 result = FUSED(SAME_LANES(u0), sums[2], sums[1] * SAME_LANES(share));
    result = FUSED(SAME_LANES(u1), sums[3], result);
    return FUSED(SAME_LANES(u2), sums[4], result);
}

/* Where results go: to bytes, or to working values that will be stored. */
typedef struct Refined {
    GLOBAL const uint *encoding;
    GLOBAL uchar *marked, *bytes;
    GLOBAL float4 *values;
} Refined;

/* Stores a pixel by the sums of its window, unless there is no model for it. */
HELPER void refine_pixel(GLOBAL const float4 *image, GLOBAL const uchar *alphas, const PassShape *s,
                         const RefineShape *r, int x, int y, const float4 *sums, const Refined *to)
{
    size_t at = (size_t)y * s->width + x;
    float4 old = image[at], result = modelled(sums, scaled(old, r));
    int refined = LANE(sums[0], 3) > 0.0f && is_finite(LANE(result, 0)) &&
                  is_finite(LANE(result, 1)) && is_finite(LANE(result, 2));
    if ((s->alpha_bytes && !alphas[at]) || (r->some_stay && !to->marked[at]))
        refined = 0;
    result = all_finite(FUSED(result, LANES(r->range[0], r->range[1], r->range[2], 0.0f),
                              LANES(r->middle[0], r->middle[1], r->middle[2], 0.0f)));
    if (!r->to_bytes) {
        to->values[at] = result;
        to->marked[at] = (uchar)refined;
    } else if (refined) {
        if (r->detail != 0.0f)
            result = mixed(result, old, r->detail);
        store_bytes(result, to->encoding, r->bands, r->lab, to->bytes + at * r->channels);
    }
}

/* Windows of any radius, of which a group sums columns, then rows of these. It refines
 * REFINE_ROWS rows. */
KERNEL(PASS_ITEMS)
void refine(GLOBAL const float4 *image, GLOBAL const float4 *values, GLOBAL const uchar *alphas,
            GLOBAL const uint *encoding, PassShape s, RefineShape r, GLOBAL float4 *refined,
            GLOBAL uchar *marked, GLOBAL uchar *bytes)
{
    LOCAL_ARRAY(float4, columns, SUMS * PASS_ITEMS);
    int wide = PASS_ITEMS - 2 * s.radius, left = s.x + (int)get_group_id(0) * wide;
    int top = s.first + (int)get_group_id(1) * REFINE_ROWS;
    int end = top + REFINE_ROWS < s.end ? top + REFINE_ROWS : s.end;
    Refined to = {encoding, marked, bytes, refined};
    for (int y = top; y < end; y++) {
        BARRIER;
        EACH_ITEM(PASS_ITEMS)
        {
            float4 sums[SUMS], i, j;
            UNROLL
            for (int sum = 0; sum < SUMS; sum++)
                sums[sum] = SAME_LANES(0.0f);
            for (int row = y - s.radius; row <= y + s.radius; row++) {
                load_tap(image, values, alphas, &s, &r, left - s.radius + item, row, &i, &j);
                add_tap(i, j, sums);
            }
            UNROLL
            for (int sum = 0; sum < SUMS; sum++)
                columns[sum * PASS_ITEMS + item] = sums[sum];
        }
        BARRIER;
        EACH_ITEM(PASS_ITEMS)
        if (item < wide && left + item < s.x + s.columns) {
            float4 sums[SUMS];
            UNROLL
            for (int sum = 0; sum < SUMS; sum++) {
                sums[sum] = columns[sum * PASS_ITEMS + item];
                for (int tap = 1; tap <= 2 * s.radius; tap++)
                    sums[sum] += columns[sum * PASS_ITEMS + item + tap];
            }
            refine_pixel(image, alphas, &s, &r, left + item, y, sums, &to);
        }
    }
}

/* The sums of the window whose last row is one of local memory. `last` and `before` are the sums of
 * the two rows above, `three` of three rows that end two rows above; sums of the row and of three
 * take the places of the older ones. */
HELPER void sum_window(LOCAL const float4 *image, LOCAL const float4 *values, const float4 *last,
                       float4 *before, float4 *three, float4 *window)
{
    float4 row[SUMS];
    UNROLL
    for (int sum = 0; sum < SUMS; sum++)
        row[sum] = SAME_LANES(0.0f);
    UNROLL
    for (int tap = 0; tap < 5; tap++)
        add_tap(image[tap], values[tap], row);
    UNROLL
    for (int sum = 0; sum < SUMS; sum++) {
        float4 pair = row[sum] + last[sum];
        window[sum] = pair + three[sum];
        three[sum] = pair + before[sum];
        before[sum] = row[sum];
    }
}

/* Windows of radius 2. A group walks down REFINE_WALK rows, two at a time; an item has the sums
 * along its rows in registers. */
KERNEL(PASS_ITEMS)
void refine_small(GLOBAL const float4 *image, GLOBAL const float4 *values,
                  GLOBAL const uchar *alphas, GLOBAL const uint *encoding, PassShape s,
                  RefineShape r, GLOBAL float4 *refined, GLOBAL uchar *marked, GLOBAL uchar *bytes)
{
    LOCAL_ARRAY(float4, images, 2 * PASS_ITEMS);
    LOCAL_ARRAY(float4, results, 2 * PASS_ITEMS);
    PRIVATE(float4, rows, 2 * SUMS);
    PRIVATE(float4, threes, 2 * SUMS);
    int wide = PASS_ITEMS - 4, left = s.x + (int)get_group_id(0) * wide;
    int top = s.first + (int)get_group_id(1) * REFINE_WALK;
    int end = top + REFINE_WALK < s.end ? top + REFINE_WALK : s.end;
    Refined to = {encoding, marked, bytes, refined};

    EACH_ITEM(PASS_ITEMS)
    {
        UNROLL
        for (int i = 0; i < 2 * SUMS; i++)
            MY(rows)[i] = MY(threes)[i] = SAME_LANES(0.0f);
    }
    for (int y = top - 2; y < end + 2; y += 2) {
        BARRIER;
        EACH_ITEM(PASS_ITEMS)
        for (int row = 0; row < 2; row++) {
            float4 i, j;
            load_tap(image, values, alphas, &s, &r, left - 2 + item, y + row, &i, &j);
            images[row * PASS_ITEMS + item] = i;
            results[row * PASS_ITEMS + item] = j;
        }
        BARRIER;
        EACH_ITEM(PASS_ITEMS)
        if (item < wide) {
            UNROLL
            for (int row = 0; row < 2; row++) {
                float4 window[SUMS];
                int other = (1 - row) * SUMS, mine = row * SUMS, centre = y + row - 2;
                sum_window(images + row * PASS_ITEMS + item, results + row * PASS_ITEMS + item,
                           MY(rows) + other, MY(rows) + mine, MY(threes) + mine, window);
                if (centre >= top && centre < end && left + item < s.x + s.columns)
                    refine_pixel(image, alphas, &s, &r, left + item, centre, window, &to);
            }
        }
    }
}

#endif
