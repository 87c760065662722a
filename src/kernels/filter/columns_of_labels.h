/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of columns for four or eight labels at a time: a vector holds the weights of one pixel for
 * four labels, so that it is loaded instead of looked up. Included by columns_in_two_steps.h. */

/* With fewer labels, most lanes would be idle. */
#define MIN_LABELS 3
#define MAX_LABELS 8
#define MAX_PIXEL_ROWS 16

/* The pixels of a block, one row after the other. */
typedef struct PixelRow {
    const float *weights[COLUMN_BLOCK]; /* of the label of each pixel */
    float planes[COFI_COLUMN_PLANES][COLUMN_BLOCK];
} PixelRow;

typedef struct PixelBlock {
    float weights[COFI_FEW_LABELS][MAX_LABELS]; /* of label b for each of the labels a */
    PixelRow rows[MAX_PIXEL_ROWS];
} PixelBlock;

INLINE void load_pixels(const CofiTaps *taps, int x, int first, bool plain, PixelBlock *block)
{
    int side = 2 * taps->radius + 1;
    for (int row = 0; row < side; row++) {
        PixelRow *to = &block->rows[row];
        find_rows(block->weights[0], taps->labels[row] + x, to->weights);
        for (int plane = plain; plane < COFI_COLUMN_PLANES; plane++)
            memcpy(to->planes[plane], taps->alphas[row] + (first + plane) * taps->stride + x,
                   sizeof to->planes[plane]);
    }
}

/* Rows of the matrix become columns of the weights. */
INLINE void load_weights_of(const CofiTaps *taps, const int labels[4], int lane, PixelBlock *block)
{
    const float *rows[4];
    for (int i = 0; i < 4; i++)
        rows[i] = taps->matrix + (ptrdiff_t)labels[i] * cofi_matrix_stride(taps->k);
    for (int other = 0; other < COFI_FEW_LABELS; other += 4) {
        Vector v[4];
        UNROLL
        for (int i = 0; i < 4; i++)
            v[i] = load(rows[i] + other);
        transpose(v);
        UNROLL
        for (int i = 0; i < 4; i++)
            store(block->weights[other + i] + lane, v[i]);
    }
}

/* Sums two columns for four labels, or one for eight. */
INLINE void sum_pixels_of(const CofiTaps *taps, const PixelBlock *block, int column, int columns,
                          bool plain, Vector parts[2][COFI_COLUMN_PLANES])
{
    enum { PLANES = COFI_COLUMN_PLANES };
    int side = 2 * taps->radius + 1;
    const float *gauss = taps->gauss;
    const PixelRow *row = block->rows;
    Vector sums[2][PLANES];
    UNROLL
    for (int i = 0; i < 2 * PLANES; i++)
        sums[i / PLANES][i % PLANES] = set1(0);
    for (const PixelRow *end = row + side; row < end; row++, gauss++) {
        const float *const *weights = row->weights + column;
        OPAQUE(weights);
        const float *planes = (const float *)weights + COLUMN_BLOCK; /* pointers are as long */
        Vector factor = set1(*gauss);
        UNROLL
        for (int i = 0; i < 2; i++) {
            int at = columns == 2 ? i : 0;
            Vector weight = mul(load(weights[at] + (columns == 2 ? 0 : 4 * i)), factor);
            if (plain)
                sums[i][0] += weight;
            UNROLL
            for (int plane = plain; plane < PLANES; plane++)
                sums[i][plane] =
                    fma_add(weight, set1(planes[plane * COLUMN_BLOCK + at]), sums[i][plane]);
        }
    }
    UNROLL
    for (int i = 0; i < 2 * PLANES; i++)
        parts[i / PLANES][i % PLANES] = sums[i / PLANES][i % PLANES];
}

/* Stores the sums of four columns for four labels. */
INLINE void store_sums(const CofiTaps *taps, const int labels[4], int count, int at,
                       Vector parts[4][COFI_COLUMN_PLANES])
{
    for (int plane = 0; plane < COFI_COLUMN_PLANES; plane++) {
        Vector v[4];
        UNROLL
        for (int i = 0; i < 4; i++)
            v[i] = parts[i][plane];
        transpose(v);
        UNROLL
        for (int i = 0; i < 4; i++)
            if (i < count)
                store(columns_of(taps, labels[i], plane) + at, v[i]);
    }
}

INLINE void sum_four(const CofiTaps *taps, const PixelBlock *block, const int *labels, int count,
                     int at, bool plain)
{
    for (int column = 0; column < COLUMN_BLOCK; column += 4) {
        Vector parts[4][COFI_COLUMN_PLANES];
        sum_pixels_of(taps, block, column, 2, plain, parts);
        sum_pixels_of(taps, block, column + 2, 2, plain, parts + 2);
        store_sums(taps, labels, count, at + column, parts);
    }
}

INLINE void sum_eight(const CofiTaps *taps, const PixelBlock *block, const int *labels, int count,
                      int at, bool plain)
{
    for (int column = 0; column < COLUMN_BLOCK; column += 4) {
        Vector parts[2][4][COFI_COLUMN_PLANES];
        for (int i = 0; i < 4; i++) {
            Vector both[2][COFI_COLUMN_PLANES];
            sum_pixels_of(taps, block, column + i, 1, plain, both);
            memcpy(parts[0][i], both[0], sizeof both[0]);
            memcpy(parts[1][i], both[1], sizeof both[1]);
        }
        store_sums(taps, labels, 4, at + column, parts[0]);
        store_sums(taps, labels + 4, count - 4, at + column, parts[1]);
    }
}

/* Takes up to eight labels from a set, but four of five. The last one fills the places that are
 * left. */
static int take_labels(LabelSet *wanted, int labels[MAX_LABELS])
{
    int count = 0, most = __builtin_popcount(*wanted) == 5 ? 4 : MAX_LABELS;
    for (; *wanted != 0 && count < most; *wanted &= *wanted - 1)
        labels[count++] = __builtin_ctz(*wanted);
    for (int i = count; i < MAX_LABELS; i++)
        labels[i] = labels[count - 1];
    return count;
}

/* Returns the labels for which too few are left. */
INLINE LabelSet sum_all(const CofiTaps *taps, LabelSet wanted, int x, int at, int first, bool plain)
{
    PixelBlock block;
    load_pixels(taps, x + at, first, plain, &block);
    while (__builtin_popcount(wanted) >= MIN_LABELS) {
        int labels[MAX_LABELS], count = take_labels(&wanted, labels);
        load_weights_of(taps, labels, 0, &block);
        if (count > 4) {
            load_weights_of(taps, labels + 4, 4, &block);
            sum_eight(taps, &block, labels, count, at, plain);
        } else {
            sum_four(taps, &block, labels, count, at, plain);
        }
    }
    return wanted;
}

SEPARATE LabelSet sum_labels_plain(const CofiTaps *taps, LabelSet wanted, int x, int at)
{
    return sum_all(taps, wanted, x, at, 0, true);
}

SEPARATE LabelSet sum_labels_any(const CofiTaps *taps, LabelSet wanted, int x, int at, int first)
{
    return sum_all(taps, wanted, x, at, first, false);
}
