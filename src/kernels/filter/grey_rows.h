/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter of 8-bit grey. Entries of the matrix have 15 bits, so that they are looked up 16
 * bits at a time, and products with values are sums of integers. Only then do the weights of the
 * Gaussian follow, as floats: those of rows, and in the end those of columns.
 *
 * Entries are looked up in a part of a row of the matrix, which is larger the more the labels of a
 * window differ. Each level includes this file after grey_window.h and after it has defined
 *
 *     LEVEL(name)          the name of a kernel at this level
 *     join_rows(a, b, to)  joins 16 labels of two rows: a[0], b[0], a[1], b[1], and so on
 *     place_of(column)     the place of the sums of column 0..15 in a vector
 *     Sums                 the sums of a pixel, lane by lane
 *     PIXELS               the number of adjacent pixels that are summed at once, 1 or 2: vectors
 *                          have a column more than the window
 *     sum_window(rows, window, labels, sums)
 *                          sums weights, and weights times labels, with a row of the matrix for
 *                          each pixel
 *     add_lanes(sums, weights, products)
 *                          the totals of BLOCK pixels
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/inline.h"

/* Pixels whose lanes are added at once. */
#define BLOCK 16

/* A panel is a part of a row whose windows are prepared together, RUN columns at a time. */
#define PANEL 256
#define RUN 32
_Static_assert(COFI_GREY_SIDE <= RUN, "the columns of a panel must include all windows");
#define PANEL_COLUMNS (PANEL + 2 * RUN)
_Static_assert(MAX_PAIRS * 2 * PANEL_COLUMNS * sizeof(Label) <= COFI_GREY_SCRATCH,
               "the scratch must hold all pairs of rows");

typedef struct Panel {
    const CofiGreyTaps *taps;
    int side, pairs, vectors;
    int x, n;
    Window window;
    uint8_t least[PANEL_COLUMNS], most[PANEL_COLUMNS];               /* labels of each window */
    uint8_t least_of_all[PANEL_COLUMNS], most_of_all[PANEL_COLUMNS]; /* of PIXELS windows */
    const uint8_t *centres;
    int inside, outside; /* pixels whose windows are inside the image: from `inside` on, before
                            `outside` */
    float weights[PANEL], products[PANEL]; /* sums of each window */
    const uint8_t *joined[MAX_PAIRS][2];   /* the rows of each pair */
    float rows[MAX_PAIRS], columns[PIXELS][COLUMN_WEIGHTS];
} Panel;

/* The rows of each pair, and their weights. A row without partner is there twice, with half of its
 * weight: the middle row, and a row whose partner is outside of the image. */
static void pair_rows(Panel *panel)
{
    const CofiGreyTaps *taps = panel->taps;
    for (int i = 0; i < panel->pairs; i++) {
        int upper = i, lower = panel->side - 1 - i;
        bool both = upper >= taps->top && lower < taps->bottom && upper != lower;
        bool none = upper < taps->top && lower >= taps->bottom;
        panel->rows[i] = both ? taps->gauss[i] : none ? 0 : taps->gauss[i] / 2;
        panel->joined[i][0] = taps->labels[both || upper >= taps->top ? upper : lower];
        panel->joined[i][1] = taps->labels[both || lower < taps->bottom ? lower : upper];
    }
}

/* The weights of columns first..end-1 of the window, moved by `shift` columns; others are 0. */
static void place_columns(const Panel *panel, int shift, int first, int end, float *columns)
{
    memset(columns, 0, COLUMN_WEIGHTS * sizeof *columns);
    for (int i = first > 0 ? first : 0; i < end && i < panel->side; i++) {
        int at = i + shift;
        columns[at / VECTOR_COLUMNS * VECTOR_COLUMNS + place_of(at % VECTOR_COLUMNS)] =
            panel->taps->gauss[i];
    }
}

static void join_all_rows(const Panel *panel)
{
    int columns = panel->n - 1 + panel->vectors * VECTOR_COLUMNS;
    for (int pair = 0; pair < panel->pairs; pair++) {
        const uint8_t *const *rows = panel->joined[pair];
        Label *to = (Label *)panel->taps->scratch + (ptrdiff_t)pair * 2 * PANEL_COLUMNS;
        for (int i = 0; i < columns; i += VECTOR_COLUMNS)
            join_rows(rows[0] + panel->x + i, rows[1] + panel->x + i, to + 2 * i);
    }
}

/* Extremes of n labels in two places, rounded up to RUN. */
static void join_extremes(const uint8_t *restrict least, const uint8_t *restrict most, int next,
                          int n, uint8_t *restrict to_least, uint8_t *restrict to_most)
{
    for (int first = 0; first < n; first += RUN)
        for (int i = first; i < first + RUN; i++) {
            int j = i + next;
            to_least[i] = least[j] < least[i] ? least[j] : least[i];
            to_most[i] = most[j] > most[i] ? most[j] : most[i];
        }
}

/* The extremes of each column of the rows. */
static void find_column_extremes(const Panel *panel, int columns, uint8_t *restrict least,
                                 uint8_t *restrict most)
{
    const uint8_t *const *rows = panel->taps->labels;
    memcpy(least, rows[0] + panel->x, (size_t)columns);
    memcpy(most, rows[0] + panel->x, (size_t)columns);
    for (int row = 1; row < panel->side; row++) {
        const uint8_t *restrict labels = rows[row] + panel->x;
        for (int first = 0; first < columns; first += RUN)
            for (int i = first; i < first + RUN; i++) {
                least[i] = labels[i] < least[i] ? labels[i] : least[i];
                most[i] = labels[i] > most[i] ? labels[i] : most[i];
            }
    }
}

/* The least and the largest label of each window: of columns, then of 2, 4, 8, ... columns. Those
 * of windows beyond the last pixel may be of fewer columns. */
static void find_extremes(Panel *panel)
{
    uint8_t least[2][PANEL_COLUMNS], most[2][PANEL_COLUMNS];
    int columns = (panel->n + panel->side - 1 + RUN - 1) / RUN * RUN, from = 0, width = 1;
    for (int i = 0; i < 2; i++) {
        memset(least[i] + columns, 255, RUN);
        memset(most[i] + columns, 0, RUN);
    }
    find_column_extremes(panel, columns, least[from], most[from]);
    for (; 2 * width < panel->side; width *= 2, from = 1 - from)
        join_extremes(least[from], most[from], width, columns, least[1 - from], most[1 - from]);
    join_extremes(least[from], most[from], panel->side - width, columns, panel->least, panel->most);
    panel->least[columns] = 255;
    panel->most[columns] = 0;
    join_extremes(panel->least, panel->most, PIXELS - 1, panel->n, panel->least_of_all,
                  panel->most_of_all);
}

/* The window of pixel x, and of the next one, whose columns are one further. Some columns are
 * outside of the image. */
SEPARATE void sum_clipped(const Panel *panel, int x, const CofiGreyEntries *const rows[PIXELS],
                          Labels labels, Sums *sums)
{
    float columns[PIXELS][COLUMN_WEIGHTS];
    Window window = panel->window;
    for (int i = 0; i < PIXELS; i++) {
        place_columns(panel, i, panel->taps->left - x - i, panel->taps->right - x - i, columns[i]);
        window.columns[i] = columns[i];
    }
    sum_window(rows, &window, labels, sums);
}

/* Sums the windows of pixels i and, if PIXELS is 2, i + 1, which may be beyond the last one. */
INLINE void sum_pixels(const Panel *panel, int i, Sums *sums)
{
    const CofiGreyTaps *taps = panel->taps;
    const uint8_t *centre = panel->centres + i;
    const CofiGreyEntries *rows[PIXELS];
    for (int pixel = 0; pixel < PIXELS; pixel++)
        rows[pixel] = &taps->matrix[centre[pixel]];
    Labels labels = {.at = (const Label *)taps->scratch + 2 * i,
                     .least = panel->least_of_all[i],
                     .most = panel->most_of_all[i]};
    if (i < panel->inside || i + PIXELS > panel->outside)
        sum_clipped(panel, panel->x + i, rows, labels, sums);
    else
        sum_window(rows, &panel->window, labels, sums);
}

/* A mean is exact enough if the largest error of the weights, times the largest difference of two
 * values, is small compared to the sum of the weights. */
SEPARATE void write_means(const Panel *panel, float *restrict means, uint8_t *restrict exact)
{
    const float *weights = panel->weights, *products = panel->products;
    float error = panel->taps->error;
    int n = panel->n;
    for (int i = 0; i < n; i++)
        means[i] = products[i] / (weights[i] > 0 ? weights[i] : 1);
    for (int i = 0; i < n; i++) {
        int range = panel->most[i] - panel->least[i];
        int32_t positive = weights[i] > 0, enough = (float)range * error <= weights[i];
        exact[i] = (uint8_t)(positive & enough);
    }
}

static void filter_panel(Panel *panel, float *means, uint8_t *exact)
{
    const CofiGreyTaps *taps = panel->taps;
    panel->inside = taps->left - panel->x;
    panel->outside = taps->right - panel->x - panel->side + 1;
    panel->centres = taps->labels[taps->radius] + panel->x + taps->radius;
    join_all_rows(panel);
    find_extremes(panel);
    for (int first = 0; first < panel->n; first += BLOCK) {
        Sums sums[BLOCK];
        int n = panel->n - first < BLOCK ? panel->n - first : BLOCK;
        for (int i = 0; i < n; i += PIXELS)
            sum_pixels(panel, first + i, &sums[i]);
        for (int i = (n + PIXELS - 1) / PIXELS * PIXELS; i < BLOCK; i++)
            sums[i] = sums[0];
        add_lanes(sums, panel->weights + first, panel->products + first);
    }
    write_means(panel, means, exact);
}

/* The parts of the window that all pixels share. */
static void start_window(Panel *panel)
{
    panel->pairs = (panel->side + 1) / 2;
    panel->vectors = (panel->side + PIXELS - 2) / VECTOR_COLUMNS + 1;
    panel->window = (Window){.stride = 2 * PANEL_COLUMNS,
                             .pairs = panel->pairs,
                             .vectors = panel->vectors,
                             .rows = panel->rows};
    pair_rows(panel);
    for (int i = 0; i < PIXELS; i++) {
        place_columns(panel, i, 0, panel->side, panel->columns[i]);
        panel->window.columns[i] = panel->columns[i];
    }
}

void LEVEL(cofi_grey_row)(const CofiGreyTaps *taps, int x, int n, float *means, uint8_t *exact)
{
    int side = 2 * taps->radius + 1;
    assert(side <= COFI_GREY_SIDE && n >= 0);
    Panel panel;
    panel.taps = taps;
    panel.side = side;
    start_window(&panel);
    for (int first = 0; first < n; first += PANEL) {
        panel.x = x + first;
        panel.n = n - first < PANEL ? n - first : PANEL;
        filter_panel(&panel, means + first, exact + first);
    }
}
