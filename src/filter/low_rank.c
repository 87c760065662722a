/* SPDX-License-Identifier: BSD-2-Clause */
/* A low-rank approximation of M. With D = diag(pi), S = D^1/2 M D^1/2 is symmetric and nearly
 * positive; its leading eigenvectors give the sum with the smallest error for frequent labels. */
#include "filter/low_rank.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "filter/eigen.h"

#define N COFI_FEW_LABELS

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

/* S, and 1 / sqrt(pi), 0 for labels that were not seen. */
static void fill_symmetric(CofiEigen *e, const CofModel *model, double *scale)
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

/* Of each label: weighted sums of its average window, where weights are those of M times the share
 * of each label. */
typedef struct Means {
    double *weights;     /* N */
    double (*values)[N]; /* of each band */
} Means;

#define MEANS_SIZE (N * (1 + COF_MAX_BANDS))

static Means means_in(double *memory)
{
    return (Means){.weights = memory, .values = (double(*)[N])(memory + N)};
}

/* Matrices have a row for each label of a window, and columns for the labels of the pixel in its
 * middle: sums of all columns run side by side. */
static void find_means(const CofiPalette *palette, const double (*matrix)[N],
                       const double (*shares)[N], const Means *means)
{
    int k = palette->k, bands = palette->bands;
    memset(means->weights, 0, N * sizeof *means->weights);
    memset(means->values, 0, (size_t)bands * sizeof *means->values);
    for (int b = 0; b < k; b++) {
        double weights[N];
        for (int a = 0; a < k; a++) {
            weights[a] = matrix[b][a] * shares[b][a];
            means->weights[a] += weights[a];
        }
        for (int band = 0; band < bands; band++) {
            double value = (double)palette->centres[b * bands + band], *sums = means->values[band];
            for (int a = 0; a < k; a++)
                sums[a] += weights[a] * value;
        }
    }
}

/* The sum of the first terms, in the average windows of all labels. */
typedef struct Truncated {
    const CofModel *model;
    double (*shares)[N]; /* of each label of a window, for each label of its pixel */
    double (*matrix)[N]; /* the sum of the terms, likewise */
    Means exact, found;
    double negative[N]; /* of each label: the size of its most negative weight, or 0 */
} Truncated;

static void fill_windows(const Truncated *t)
{
    const CofModel *model = t->model;
    int k = model->palette.k;
    for (int a = 0; a < k; a++) {
        const double *row = model->matrix + (ptrdiff_t)a * k;
        double near = 0;
        for (int b = 0; b < k; b++)
            near += row[b] * model->frequencies[b];
        for (int b = 0; b < k; b++) {
            double share = near > 0 ? row[b] * model->frequencies[b] / near : 0;
            t->shares[b][a] = OWN_SHARE * (b == a) + (1 - OWN_SHARE) * share;
            t->matrix[b][a] = row[b];
        }
    }
    find_means(&model->palette, (const double(*)[N])t->matrix, (const double(*)[N])t->shares,
               &t->exact);
    memset(t->matrix, 0, N * sizeof *t->matrix);
}

/* Once terms have been added. */
static void find_results(Truncated *t)
{
    const CofiPalette *palette = &t->model->palette;
    find_means(palette, (const double(*)[N])t->matrix, (const double(*)[N])t->shares, &t->found);
    memset(t->negative, 0, sizeof t->negative);
    for (int b = 0; b < palette->k; b++)
        for (int a = 0; a < palette->k; a++) {
            double negative = -t->matrix[b][a];
            t->negative[a] = negative > t->negative[a] ? negative : t->negative[a];
        }
}

/* Is the weight sum of a label off by more than a factor of 2? */
static bool is_wrong(const Truncated *t, int a)
{
    double found = t->found.weights[a], exact = t->exact.weights[a];
    return !(found > 0.5 * exact && found < 2 * exact);
}

/* The squared error, in units of the palette, at a pixel of label a in the average window. */
static double label_error(const Truncated *t, int a)
{
    int bands = t->model->palette.bands;
    double sum = 0;
    for (int band = 0; band < bands; band++) {
        double d = t->exact.values[band][a] / t->exact.weights[a] -
                   t->found.values[band][a] / t->found.weights[a];
        sum += d * d;
    }
    return sum / bands;
}

/* The mean error over all pixels; infinite if those of labels whose weight sums are wrong, or may
 * be too small to trust, are too many to be filtered exactly. */
static double mean_error(Truncated *t)
{
    double sum = 0, exact_share = 0;
    find_results(t);
    for (int a = 0; a < t->model->palette.k; a++) {
        double share = t->model->frequencies[a];
        bool wrong = is_wrong(t, a);
        if (share > 0 && !wrong)
            sum += share * label_error(t, a);
        if (share > 0 && (wrong || t->found.weights[a] < RELIABLE_RATIO * t->negative[a]))
            exact_share += share;
    }
    return exact_share <= MAX_EXACT_SHARE ? sum : INFINITY;
}

static void add_term(Truncated *t, const CofiEigen *e, const double *scale, int term)
{
    const double *vector = e->vectors[term];
    double scaled[N];
    for (int a = 0; a < e->n; a++)
        scaled[a] = e->values[term] * vector[a] * scale[a];
    for (int b = 0; b < e->n; b++)
        for (int a = 0; a < e->n; a++)
            t->matrix[b][a] += scaled[a] * vector[b] * scale[b];
}

static void write_tables(CofiLowRank *s, const Truncated *t, const CofiEigen *e,
                         const double *scale, double mass)
{
    const CofModel *model = t->model;
    int k = model->palette.k;
    memset(s->in, 0, (size_t)s->ranks * sizeof *s->in);
    memset(s->out, 0, (size_t)s->ranks * sizeof *s->out);
    for (int a = 0; a < k; a++) {
        double largest = 0;
        for (int b = 0; b < k; b++)
            largest = fmax(largest, model->matrix[a * k + b]);
        double unit = largest > 0 ? 1 / largest : 0;
        bool wrong = is_wrong(t, a);
        double own = model->matrix[a * k + a], below = mass * t->negative[a];
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
    memset(s->out, 0, (size_t)k * sizeof *s->out);
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
    int k = model->palette.k;
    low_rank->ranks = 0;
    low_rank->each = false;
    low_rank->max_trust_threshold = 0;
    memset(low_rank->trust_threshold, 0, sizeof low_rank->trust_threshold);
    if (request->each && k <= COFI_FAST_LABELS)
        use_each_label(low_rank, model, request->mass);
    if (request->each || k > N || !model->palette.centres)
        return;
    double(*matrices)[N] = (double(*)[N])low_rank->scratch, *means = matrices[4 * N];
    CofiEigen e = {.n = k, .vectors = matrices, .rest = matrices + N};
    Truncated t = {.model = model,
                   .shares = matrices + 2 * N,
                   .matrix = matrices + 3 * N,
                   .exact = means_in(means),
                   .found = means_in(means + MEANS_SIZE)};
    double scale[N];
    fill_windows(&t);
    fill_symmetric(&e, model, scale);
    cofi_eigen_decompose(&e);
    double peak = 255 / unit_of(&model->palette);
    double allowed = peak * peak * pow(10, -request->accuracy / 10) / ERROR_SCALE;
    if (request->batch > 1)
        allowed *= BATCH_TOLERANCE;
    int terms = 0;
    bool enough = false;
    while (terms < k && !enough) {
        add_term(&t, &e, scale, terms++);
        bool whole = terms % request->batch == 0 || terms == k;
        enough = whole && mean_error(&t) <= allowed;
    }
    while (terms > 1 && fabs(e.values[terms - 1]) <= NEGLIGIBLE * fabs(e.values[0]))
        terms--;
    low_rank->ranks = terms;
    if (low_rank->ranks > MANY_TERMS * k)
        use_each_label(low_rank, model, request->mass);
    else
        write_tables(low_rank, &t, &e, scale, request->mass);
}
