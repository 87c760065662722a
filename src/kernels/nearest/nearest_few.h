/* SPDX-License-Identifier: BSD-2-Clause */
/* Scores centres for blocks of pixels with three or four bands, whose values stay in registers.
 * Centres that are far from a box around the pixels are left out. Included by nearest_loops.h. */

/* The bands of such pixels, and their rows of `scoring`. */
#define FEW_BANDS COFI_FEW_BANDS
#define FEW_ROW_SIZE (3 * COFI_REPEATS)

/* The smallest and the largest values of the pixels of a block, less the middle. */
typedef struct Box {
    float low[FEW_BANDS], high[FEW_BANDS];
} Box;

/* The values of a block. */
typedef struct FewValues {
    Vector of[FEW_BANDS][SIDE_BY_SIDE];
} FewValues;

INLINE void load_few(const Block *block, int bands, const Centres *c, FewValues *values)
{
    for (int band = 0; band < bands; band++)
        UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        values->of[band][i] = centred_at(block, band, i, c);
}

INLINE void find_box(const FewValues *values, int bands, Box *box)
{
    Vector low[FEW_BANDS], high[FEW_BANDS];
    for (int band = 0; band < bands; band++) {
        low[band] = high[band] = values->of[band][0];
        UNROLL
        for (int i = 1; i < SIDE_BY_SIDE; i++) {
            low[band] = least(low[band], values->of[band][i]);
            high[band] = most(high[band], values->of[band][i]);
        }
    }
    fold_each_least(low, bands, box->low);
    fold_each_most(high, bands, box->high);
}

/* As needed_gap(), for the pixels of a box. */
INLINE float gap_of_box(const Box *box, int bands, const Centres *c)
{
    float sum = c->largest_square;
    bool small = true;
    for (int band = 0; band < bands; band++) {
        float largest = -box->low[band] > box->high[band] ? -box->low[band] : box->high[band];
        small &= largest < MAX_VALUE;
        sum += largest * c->largest[band];
    }
    return small ? gap_of_sum(sum, c) : INFINITY;
}

/* Scores one centre. */
INLINE void score_row(const float *row, int bands, const FewValues *values, Vector label_bits,
                      Scores *s)
{
    Four centre = load_four(row);
    Vector scores[SIDE_BY_SIDE];
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        scores[i] = fma_sub_of(values->of[0][i], centre, 0, load_repeated(row + COFI_REPEATS));
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        scores[i] = fma_sub_of(values->of[1][i], centre, 1, scores[i]);
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        scores[i] = fma_sub_of(values->of[2][i], centre, 2, scores[i]);
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE && bands == FEW_BANDS; i++)
        scores[i] = fma_sub_of(values->of[3][i], centre, 3, scores[i]);
    keep_best(s, scores, load_repeated(row + 2 * COFI_REPEATS), label_bits);
}

/* So many centres are compared with a box at once. */
#define WORD 32

/* The centres that may be the nearest of a pixel of a block. */
typedef struct Chosen {
    float gap;
    uint32_t bits; /* these of the first word, if there is no other; else: */
    float square;  /* centres within this squared distance, ... */
    int begin, words;
    float squares[COF_MAX_COLOURS + WORD]; /* ... which is that of centre `begin`, and so on */
} Chosen;

/* The squared distance within which centres are scored first, as a share of the largest one. */
#define NEAR_SHARE (1.0f / 32)

/* More than the squared distance of any pixel of the box to its nearest centre. A few centres that
 * are near along the axis tell as much as all. */
INLINE float largest_square(const Centres *c, const Box *box, int bands, float gap)
{
    float low = box->low[c->axis], high = box->high[c->axis];
    int first = c->nearby[cofi_place_of(c, (low + high) * 0.5f)];
    Vector smallest = set1(FLT_MAX);
    for (int i = 0; i < COFI_NEARBY; i += LANES) {
        Vector sum = set1(0);
        for (int band = 0; band < bands; band++) {
            Vector place = load(c->sorted + band * c->sorted_stride + first + i);
            Vector far = most(place - set1(box->low[band]), set1(box->high[band]) - place);
            sum = fma_add(far, far, sum);
        }
        smallest = least(smallest, sum);
    }
    return fold_least(smallest) * 1.001f + 4 * gap;
}

/* The squared distances of LANES centres from the box. */
INLINE Vector squares_of_box(const Centres *c, int at, const Box *box, int bands)
{
    Vector sum = set1(0);
    for (int band = 0; band < bands; band++) {
        Vector place = load(c->sorted + band * c->sorted_stride + at);
        Vector beyond = most(set1(box->low[band]) - place, place - set1(box->high[band]));
        beyond = most(beyond, set1(0));
        sum = fma_add(beyond, beyond, sum);
    }
    return sum;
}

/* The bits of a word from centre `at` on that are centres. */
static inline uint32_t valid_bits(const Centres *c, int at)
{
    return c->k - at < WORD ? (1u << (c->k - at)) - 1 : UINT32_MAX;
}

/* Chooses from one word of centres. */
INLINE void choose_few(int bands, const Centres *c, const Box *box, float square, Chosen *chosen)
{
    uint32_t bits = 0;
    UNROLL
    for (int i = 0; i < WORD; i += LANES)
        bits |= lanes_not_above(squares_of_box(c, i, box, bands), square) << i;
    chosen->bits = bits & valid_bits(c, 0);
}

/* Chooses from more. */
INLINE void choose_words(int bands, const Centres *c, const Box *box, float square, Chosen *chosen)
{
    float root = sqrtf(square);
    int begin = c->before[cofi_place_of(c, box->low[c->axis] - root)];
    int end = c->before[cofi_place_of(c, box->high[c->axis] + root) + 1];
    chosen->square = square;
    chosen->begin = begin;
    chosen->words = (end - begin + WORD - 1) / WORD;
    for (int i = 0; i < end - begin; i += LANES)
        store(chosen->squares + i, squares_of_box(c, begin + i, box, bands));
    for (int i = (end - begin + LANES - 1) / LANES * LANES; i < chosen->words * WORD; i += LANES)
        store(chosen->squares + i, set1(INFINITY));
}

/* Leaves out centres that are farther from the box than its pixels from their nearest ones: neither
 * is one the nearest, nor its score within the gap of the best. */
INLINE void choose_centres(const Block *block, int bands, const Centres *c, Chosen *chosen)
{
    FewValues values;
    Box box;
    load_few(block, bands, c, &values);
    find_box(&values, bands, &box);
    chosen->gap = gap_of_box(&box, bands, c);
    float square = largest_square(c, &box, bands, chosen->gap);
    if (c->k > WORD)
        choose_words(bands, c, &box, square, chosen);
    else
        choose_few(bands, c, &box, square, chosen);
}

INLINE void score_bits(const Centres *c, int at, uint32_t bits, int bands, const FewValues *values,
                       Scores *s)
{
    const float *rows = c->scoring + (ptrdiff_t)at * FEW_ROW_SIZE;
    Vector label_bits = set1(float_of_bits(c->label_bits));
    for (; bits; bits &= bits - 1)
        score_row(rows + __builtin_ctz(bits) * FEW_ROW_SIZE, bands, values, label_bits, s);
}

/* As largest_square(), from the best scores so far. */
INLINE float square_of_scores(const FewValues *values, int bands, const Scores *s, float gap)
{
    Vector least_negative = set1(0);
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        Vector square = set1(0) - s->best[i] - s->best[i];
        for (int band = 0; band < bands; band++)
            square = fma_sub(values->of[band][i], values->of[band][i], square);
        least_negative = least(least_negative, square);
    }
    return -fold_least(least_negative) * 1.001f + 4 * gap;
}

/* The bits of a word whose centres are not farther than the root of a square. */
INLINE uint32_t bits_within(const Centres *c, const Chosen *chosen, int word, float square)
{
    uint32_t bits = 0;
    UNROLL
    for (int i = 0; i < WORD; i += LANES)
        bits |= lanes_not_above(load(chosen->squares + WORD * word + i), square) << i;
    return bits & valid_bits(c, chosen->begin + WORD * word);
}

/* Scores the nearest centres first, and leaves out those that they put out of reach. */
INLINE void score_words(const Centres *c, int bands, const Chosen *chosen, const FewValues *values,
                        Scores *s)
{
    uint32_t near[COF_MAX_COLOURS / WORD];
    float first = chosen->square * NEAR_SHARE;
    for (int word = 0; word < chosen->words; word++) {
        near[word] = bits_within(c, chosen, word, first);
        score_bits(c, chosen->begin + WORD * word, near[word], bands, values, s);
    }
    float square = square_of_scores(values, bands, s, chosen->gap);
    square = square < chosen->square ? square : chosen->square;
    for (int word = 0; word < chosen->words; word++) {
        uint32_t rest = bits_within(c, chosen, word, square) & ~near[word];
        score_bits(c, chosen->begin + WORD * word, rest, bands, values, s);
    }
}

INLINE void score_chosen(const Block *block, int bands, const Centres *c, const Chosen *chosen,
                         Scores *s)
{
    FewValues values;
    load_few(block, bands, c, &values);
    start_scores(s);
    if (c->k > WORD)
        score_words(c, bands, chosen, &values, s);
    else
        score_bits(c, 0, chosen->bits, bands, &values, s);
}

static uint8_t label_of_row(const Centres *c, int row)
{
    uint32_t label;
    memcpy(&label, c->scoring + (ptrdiff_t)(row + 1) * c->row_size - COFI_REPEATS, sizeof label);
    return (uint8_t)label;
}

/* In double precision, as the C kernel computes it. */
static double exact_square(const float *const *planes, ptrdiff_t i, const Centres *c, int label)
{
    double sum = 0;
    for (int band = 0; band < c->bands; band++) {
        double d = (double)planes[band][i] - (double)c->columns[band * c->k + label];
        sum += d * d;
    }
    return sum;
}

/* The label of one pixel, as sure_label(): of the centres that single precision cannot tell apart
 * from the nearest one that it has found, `label`. */
static uint8_t sure_label_of_few(const float *const *planes, ptrdiff_t i, const Centres *c,
                                 float gap, uint8_t label)
{
    float values[FEW_BANDS], limit = 0;
    label = label < c->k ? label : 0; /* none, if values are not numbers */
    for (int band = 0; band < c->bands; band++) {
        values[band] = planes[band][i] - c->middle[band];
        float d = c->columns[band * c->k + label] - c->middle[band] - values[band];
        limit += d * d;
    }
    limit = limit * 1.001f + gap;
    float root = sqrtf(limit) * 1.001f, value = values[c->axis];
    int end = c->before[cofi_place_of(c, value + root) + 1];
    double least_square = INFINITY;
    uint8_t nearest = 0;
    for (int at = c->before[cofi_place_of(c, value - root)]; at < end; at += LANES) {
        Vector sum = set1(0);
        for (int band = 0; band < c->bands; band++) {
            Vector d = load(c->sorted + band * c->sorted_stride + at) - set1(values[band]);
            sum = fma_add(d, d, sum);
        }
        uint32_t bits = lanes_not_above(sum, limit) & valid_bits(c, at);
        for (; bits; bits &= bits - 1) {
            uint8_t tried = label_of_row(c, at + __builtin_ctz(bits));
            double square = exact_square(planes, i, c, tried);
            if (square < least_square || (square == least_square && tried < nearest)) {
                least_square = square;
                nearest = tried;
            }
        }
    }
    return nearest;
}
