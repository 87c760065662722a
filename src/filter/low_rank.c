/* SPDX-License-Identifier: BSD-2-Clause */
/* A low-rank approximation of M. With D = diag(pi), S = D^1/2 M D^1/2 is symmetric and nearly
 * positive; its leading eigenvectors give the sum with the smallest error for frequent labels. */
#include "filter/low_rank.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/inline.h"

#define N COFI_FEW_LABELS
#define MAX_ROUNDS 60 /* QL iterations for one eigenvalue; a few are enough */

/* The error is predicted for an average window, of which OWN_SHARE has the label of the pixel. On
 * 56 photographs the measured squared error was at most ERROR_SCALE times the predicted one. */
#define OWN_SHARE 0.25
#define ERROR_SCALE 100.0

/* Another batch of terms is added if the error is more than this many times the allowed one. */
#define BATCH_TOLERANCE 1.1

/* The last batch is not filled with terms whose eigenvalue is at most this share of the first. */
#define NEGLIGIBLE 1e-9

/* With a term for each label, weights that are too small to matter are 0, and cost nothing. Even if
 * all pixels of a window had such weights, their sum would be at most this share of the weight of
 * the pixel itself. */
#define MAX_LOST_SHARE 0x1p-12

/* A term for each label is as cheap as a truncated sum with more than this share of the terms, and
 * more accurate. */
#define MANY_TERMS 0.75

/* The largest share of pixels that may be filtered exactly instead. */
#define MAX_EXACT_SHARE 0.05

/* A truncated sum can have negative weights, with which results leave the range of the values, and
 * farther with each pass. A pixel's result is trusted if its weight sum is at least TRUST_RATIO
 * times the worst possible contribution of negative weights. */
#define TRUST_RATIO 4.0

/* Labels whose weight sum in an average window is below this ratio are often unreliable. */
#define RELIABLE_RATIO (2 * TRUST_RATIO)

typedef struct Eigen {
    int n;
    double (*vectors)[N]; /* first the symmetric matrix, then an eigenvector in each row */
    double (*rest)[N];    /* scratch */
    double values[N];
} Eigen;

/* Householder: rows `vectors` become the transform that makes the matrix tridiagonal, with this
 * diagonal and off-diagonal (off[0] is not used). The matrix stays symmetric bit by bit, so that
 * sums along its columns can run along rows, and all of them side by side. */
static void make_tridiagonal(Eigen *e, double *diagonal, double *off)
{
    int n = e->n;
    double(*a)[N] = e->vectors, (*q)[N] = e->rest; /* q is transposed */
    memset(q, 0, N * sizeof *q);
    for (int i = 0; i < n; i++)
        q[i][i] = 1;
    for (int step = 0; step < n - 2; step++) {
        double v[N] = {0}, p[N] = {0}, sums[N] = {0}, norm = 0, square = 0, shared = 0;
        for (int i = step + 1; i < n; i++)
            norm += a[i][step] * a[i][step];
        norm = sqrt(norm);
        for (int i = step + 1; i < n; i++)
            v[i] = a[i][step];
        v[step + 1] += v[step + 1] < 0 ? -norm : norm;
        for (int i = step + 1; i < n; i++)
            square += v[i] * v[i];
        if (square == 0)
            continue;
        /* A <- H A H, H = 1 - 2 v v' / square */
        for (int j = step + 1; j < n; j++)
            for (int i = step; i < n; i++)
                p[i] += a[j][i] * v[j] * (2 / square);
        for (int i = step + 1; i < n; i++)
            shared += p[i] * v[i] / square;
        for (int i = step; i < n; i++)
            p[i] -= shared * v[i];
        for (int i = step; i < n; i++)
            for (int j = step; j < n; j++)
                a[i][j] -= v[i] * p[j] + p[i] * v[j];
        for (int j = step + 1; j < n; j++)
            for (int i = 0; i < n; i++)
                sums[i] += q[j][i] * v[j];
        for (int j = step + 1; j < n; j++)
            for (int i = 0; i < n; i++)
                q[j][i] -= sums[i] * (2 / square) * v[j];
    }
    for (int i = 0; i < n; i++) {
        diagonal[i] = a[i][i];
        off[i] = i > 0 ? a[i][i - 1] : 0;
    }
    memcpy(a, q, N * sizeof *a);
}

/* Rotates rows i and i + 1. */
static void rotate(Eigen *e, int i, double c, double s)
{
    double *x = e->vectors[i], *y = e->vectors[i + 1];
    for (int j = 0; j < e->n; j++) {
        double t = y[j];
        y[j] = s * x[j] + c * t;
        x[j] = c * x[j] - s * t;
    }
}

/* hypot() of a fixed sequence of IEEE operations; that of glibc would need its version 2.35. */
static double length_of(double a, double b)
{
    bool first = fabs(a) > fabs(b);
    double larger = fabs(first ? a : b), smaller = fabs(first ? b : a);
    double ratio = larger > 0 ? smaller / larger : 0;
    return larger * sqrt(1 + ratio * ratio);
}

/* One implicit QL step on rows first..last of a tridiagonal matrix; off[i] joins i - 1 and i. */
static void ql_step(Eigen *e, double *d, double *off, int first, int last)
{
    double g = (d[first + 1] - d[first]) / (2 * off[first + 1]), r = length_of(g, 1);
    g = d[last] - d[first] + off[first + 1] / (g + (g < 0 ? -r : r));
    double s = 1, c = 1, p = 0;
    for (int i = last - 1; i >= first; i--) {
        double f = s * off[i + 1], b = c * off[i + 1];
        r = length_of(f, g);
        if (i + 2 <= last)
            off[i + 2] = r;
        if (r == 0) {
            d[i + 1] -= p;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate(e, i, c, s);
    }
    d[first] -= p;
    off[first + 1] = g;
}

/* The end of the block that begins at `first`: where the off-diagonal vanishes. */
static int block_end(const double *d, const double *off, int n, int first)
{
    int last = first;
    while (last + 1 < n && fabs(off[last + 1]) > 1e-15 * (fabs(d[last]) + fabs(d[last + 1])))
        last++;
    return last;
}

static void sort_by_size(Eigen *e)
{
    for (int i = 0; i < e->n; i++) {
        int largest = i;
        for (int j = i + 1; j < e->n; j++)
            if (fabs(e->values[j]) > fabs(e->values[largest]))
                largest = j;
        double value = e->values[i], row[N];
        memcpy(row, e->vectors[i], sizeof row);
        memcpy(e->vectors[i], e->vectors[largest], sizeof row);
        memcpy(e->vectors[largest], row, sizeof row);
        e->values[i] = e->values[largest];
        e->values[largest] = value;
    }
}

/* The largest eigenvalue, by absolute value, comes first. */
static void decompose(Eigen *e)
{
    double off[N + 1];
    make_tridiagonal(e, e->values, off);
    for (int first = 0; first < e->n; first++)
        for (int round = 0; round < MAX_ROUNDS; round++) {
            int last = block_end(e->values, off, e->n, first);
            if (last == first)
                break;
            ql_step(e, e->values, off, first, last);
        }
    sort_by_size(e);
}

/* S, and 1 / sqrt(pi), 0 for labels that were not seen. */
static void fill_symmetric(Eigen *e, const CofModel *model, double *scale)
{
    int k = model->palette.k;
    e->n = k;
    for (int a = 0; a < k; a++)
        scale[a] = model->frequencies[a] > 0 ? 1 / sqrt(model->frequencies[a]) : 0;
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++)
            e->vectors[a][b] =
                scale[a] > 0 && scale[b] > 0 ? model->matrix[a * k + b] / (scale[a] * scale[b]) : 0;
}

/* Units of the palette to 8-bit units; values of no known range span that of the palette. */
static double unit_of(const CofiPalette *palette)
{
    if (palette->family == COF_KIND_RGB || palette->sample == COF_SAMPLE_U8)
        return 1;
    if (palette->sample == COF_SAMPLE_U16)
        return 1.0 / 257;
    float low = palette->centres[0], high = low;
    for (int i = 1; i < palette->k * palette->bands; i++) {
        low = palette->centres[i] < low ? palette->centres[i] : low;
        high = palette->centres[i] > high ? palette->centres[i] : high;
    }
    return high > low ? 255 / ((double)high - (double)low) : 1;
}

/* Weighted sums of a window: weights are a row of M times the share of each label. */
typedef struct Mean {
    double weights, values[COF_MAX_BANDS];
} Mean;

INLINE Mean mean_of_bands(const CofiPalette *palette, int bands, const double *row,
                          const double *window)
{
    Mean mean = {0};
    for (int b = 0; b < palette->k; b++) {
        double weight = row[b] * window[b];
        mean.weights += weight;
        for (int band = 0; band < bands; band++)
            mean.values[band] += weight * (double)palette->centres[b * bands + band];
    }
    return mean;
}

static Mean mean_of(const CofiPalette *palette, const double *row, const double *window)
{
    return palette->bands == 3 ? mean_of_bands(palette, 3, row, window)
                               : mean_of_bands(palette, palette->bands, row, window);
}

/* The size of the most negative weight of label a; 0 if there is none. */
static double most_negative(double approximate[N][N], int a, int k)
{
    double low[4] = {0}; /* side by side; weights beyond k are 0 */
    for (int b = 0; b < k; b += 4)
        for (int i = 0; i < 4; i++)
            low[i] = -approximate[a][b + i] > low[i] ? -approximate[a][b + i] : low[i];
    return fmax(fmax(low[0], low[1]), fmax(low[2], low[3]));
}

/* The average windows of all labels, and the exact results in them. */
typedef struct Windows {
    double (*shares)[N]; /* of each label: how much of its window each label has */
    Mean *exact;
} Windows;

static void fill_windows(const Windows *windows, const CofModel *model)
{
    int k = model->palette.k;
    for (int a = 0; a < k; a++) {
        const double *row = model->matrix + (ptrdiff_t)a * k;
        double near = 0, *shares = windows->shares[a];
        for (int b = 0; b < k; b++)
            near += row[b] * model->frequencies[b];
        for (int b = 0; b < k; b++)
            shares[b] = OWN_SHARE * (b == a) +
                        (1 - OWN_SHARE) * (near > 0 ? row[b] * model->frequencies[b] / near : 0);
        windows->exact[a] = mean_of(&model->palette, row, shares);
    }
}

/* The squared error, in units of the palette, at a pixel of label a in the average window of its
 * label. Negative if the weight sum is off by more than a factor of 2. *unreliable is set if the
 * weight sum may be too small to trust. */
static double label_error(const CofModel *model, const Windows *windows, double approximate[N][N],
                          int a, bool *unreliable)
{
    const CofiPalette *palette = &model->palette;
    const Mean *exact = &windows->exact[a];
    Mean found = mean_of(palette, approximate[a], windows->shares[a]);
    double sum = 0;
    if (!(found.weights > 0.5 * exact->weights && found.weights < 2 * exact->weights))
        return -1;
    *unreliable = found.weights < RELIABLE_RATIO * most_negative(approximate, a, palette->k);
    for (int band = 0; band < palette->bands; band++) {
        double d = exact->values[band] / exact->weights - found.values[band] / found.weights;
        sum += d * d;
    }
    return sum / palette->bands;
}

/* The mean error over all pixels whose labels are reliable; infinite if the others are too many to
 * be filtered exactly. */
static double mean_error(const CofModel *model, const Windows *windows, double approximate[N][N])
{
    double sum = 0, wrong = 0;
    for (int a = 0; a < model->palette.k; a++) {
        double share = model->frequencies[a];
        bool unreliable = false;
        double error = share > 0 ? label_error(model, windows, approximate, a, &unreliable) : 0;
        sum += error > 0 ? share * error : 0;
        wrong += error < 0 || unreliable ? share : 0;
    }
    return wrong <= MAX_EXACT_SHARE ? sum : INFINITY;
}

static void add_term(const Eigen *e, const double *scale, int term, double approximate[N][N])
{
    double value = e->values[term];
    for (int a = 0; a < e->n; a++)
        for (int b = 0; b < e->n; b++)
            approximate[a][b] +=
                value * e->vectors[term][a] * scale[a] * e->vectors[term][b] * scale[b];
}

static void write_tables(CofiLowRank *s, const CofModel *model, const Windows *windows,
                         const Eigen *e, const double *scale, double approximate[N][N], double mass)
{
    int k = model->palette.k;
    for (int a = 0; a < k; a++) {
        double largest = 0;
        for (int b = 0; b < k; b++)
            largest = fmax(largest, model->matrix[a * k + b]);
        double unit = largest > 0 ? 1 / largest : 0;
        bool unreliable, wrong = label_error(model, windows, approximate, a, &unreliable) < 0;
        double own = model->matrix[a * k + a], below = mass * most_negative(approximate, a, k);
        s->trust_threshold[a] =
            wrong ? INFINITY : (float)(unit * fmax(0.5 * own, TRUST_RATIO * below));
        if (!wrong)
            s->max_trust_threshold = fmaxf(s->max_trust_threshold, s->trust_threshold[a]);
        for (int term = 0; term < s->ranks; term++) {
            double value = e->vectors[term][a] * scale[a];
            s->in[term][a] = (float)value;
            s->out[term][a] = wrong ? 0 : (float)(e->values[term] * value * unit);
        }
    }
}

/* Each label is a term of its own: the sums of M are computed as they are. */
static void use_each_label(CofiLowRank *s, const CofModel *model, double mass)
{
    int k = model->palette.k;
    s->ranks = k;
    s->each = true;
    for (int a = 0; a < k; a++) {
        const double *row = model->matrix + (ptrdiff_t)a * k;
        double largest = 0;
        for (int b = 0; b < k; b++)
            largest = fmax(largest, row[b]);
        double unit = largest > 0 ? 1 / largest : 0;
        s->trust_threshold[a] = (float)(0.5 * unit * row[a]);
        s->max_trust_threshold = fmaxf(s->max_trust_threshold, s->trust_threshold[a]);
        double least = MAX_LOST_SHARE * row[a] / mass;
        for (int b = 0; b < k; b++)
            s->out[b][a] = row[b] >= least ? (float)(unit * row[b]) : 0;
    }
}

void cofi_low_rank_of(CofiLowRank *low_rank, const CofModel *model,
                      const CofiLowRankRequest *request)
{
    assert(request->batch >= 1);
    assert(request->accuracy > 0);
    assert(low_rank->scratch);
    *low_rank = (CofiLowRank){.scratch = low_rank->scratch};
    int k = model->palette.k;
    if (request->each && k <= COFI_FAST_LABELS)
        use_each_label(low_rank, model, request->mass);
    if (request->each || k > N || !model->palette.centres)
        return;
    double(*matrices)[N] = (double(*)[N])low_rank->scratch;
    memset(matrices, 0, 3 * N * sizeof *matrices);
    Eigen e = {.n = k, .vectors = matrices, .rest = matrices + N};
    double scale[N], (*approximate)[N] = matrices + 2 * N;
    Windows windows = {.shares = matrices + 3 * N, .exact = (Mean *)(matrices + 4 * N)};
    fill_windows(&windows, model);
    fill_symmetric(&e, model, scale);
    decompose(&e);
    double peak = 255 / unit_of(&model->palette);
    double allowed = peak * peak * pow(10, -request->accuracy / 10) / ERROR_SCALE;
    if (request->batch > 1)
        allowed *= BATCH_TOLERANCE;
    int terms = 0;
    bool enough = false;
    while (terms < k && !enough) {
        add_term(&e, scale, terms++, approximate);
        bool whole = terms % request->batch == 0 || terms == k;
        enough = whole && mean_error(model, &windows, approximate) <= allowed;
    }
    while (terms > 1 && fabs(e.values[terms - 1]) <= NEGLIGIBLE * fabs(e.values[0]))
        terms--;
    low_rank->ranks = terms;
    if (low_rank->ranks > MANY_TERMS * k) {
        use_each_label(low_rank, model, request->mass);
        return;
    }
    write_tables(low_rank, model, &windows, &e, scale, approximate, request->mass);
}
