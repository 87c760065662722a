/* SPDX-License-Identifier: BSD-2-Clause */
/* M: how strongly two values mix (eq. 6, 7, 14, 15). */
#include "learn/model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/exponential.h"
#include "base/memory.h"
#include "options/options.h"

CofiRecipe cofi_recipe(const CofOptions *options, const CofiLearning *learning)
{
    return (CofiRecipe){.window = learning->window,
                        .downscale = learning->downscale,
                        .sigma = cofi_learning_sigma(options, learning->window),
                        .softness = options->softness,
                        .normalise = options->normalise,
                        .separation = options->separation};
}

double cofi_soft_sigma(const CofStats *member, const CofiRecipe *recipe)
{
    const CofiPalette *palette = &member->palette;
    /* Fewer entries than were asked for are the colours themselves, which are far from each other:
     * softened, all would be alike, and nothing were left to separate. */
    bool exact = palette->type == COFI_PALETTE_CENTRES && palette->k < member->learning.colours;
    return exact && recipe->separation > 0 ? 0 : recipe->softness * cofi_palette_spacing(palette);
}

CofModel *cofi_model_blank(const CofiPalette *palette, const CofiRecipe *recipe)
{
    assert(palette->k >= 1 && palette->k <= COF_MAX_COLOURS);
    CofModel *model = cofi_calloc(1, sizeof *model);
    if (!model)
        return NULL;
    size_t k = (size_t)palette->k;
    model->recipe = *recipe;
    CofStatus status = cofi_palette_copy(&model->palette, palette);
    model->matrix = cofi_calloc(k * k, sizeof *model->matrix);
    model->frequencies = cofi_calloc(k, sizeof *model->frequencies);
    if (status != COF_OK || !model->matrix || !model->frequencies)
        cofi_model_free(&model);
    return model;
}

void cofi_model_free(CofModel **model)
{
    if (!*model)
        return;
    for (int i = 0; i < (*model)->n_others; i++)
        cofi_model_free(&(*model)->others[i]);
    cofi_palette_free(&(*model)->palette);
    cofi_free((*model)->matrix);
    cofi_free((*model)->frequencies);
    cofi_free(*model);
    *model = NULL;
}

static double sum_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

void cofi_make_symmetric(double *pairs, size_t k)
{
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < a; b++) {
            double mean = (pairs[a * k + b] + pairs[b * k + a]) / 2;
            pairs[a * k + b] = pairs[b * k + a] = mean;
        }
}

/* The smallest numbers of labels whose work is shared by threads, if the work of a label is short
 * or longer. With fewer labels, handing over takes more time than the work. */
#define MANY_LABELS 65
#define SOME_LABELS 24

/* Does a task for each of k labels. */
static CofStatus each_label(CofiCall *call, int k, int shared_from, CofiTask *task, void *context)
{
    if (k >= shared_from)
        return cofi_call_tasks(call, k, 0, task, context);
    for (int a = 0; a < k; a++)
        task(context, a, 0);
    return COF_OK;
}

typedef struct Normalising {
    CofModel *model;
    const double *pairs;
    double all_pairs;
} Normalising;

static void normalise_row(void *context, int a, int worker)
{
    (void)worker;
    const Normalising *n = context;
    const double *pi = n->model->frequencies;
    int k = n->model->palette.k;
    const double *pairs = n->pairs + (ptrdiff_t)a * k;
    double *row = n->model->matrix + (ptrdiff_t)a * k;
    for (int b = 0; b < k; b++) {
        double chance = pi[a] * pi[b];
        row[b] = chance > 0 ? pairs[b] / n->all_pairs / chance : 0;
    }
}

/* Of two labels that occur together much less than with themselves, the weight falls faster than M.
 * Rare labels get less weight than frequent ones, so that the mixed pixels of an outline do not
 * colour the area beside it. */
static void separate(CofModel *model, bool keeps_rare)
{
    size_t k = (size_t)model->palette.k;
    double *matrix = model->matrix, limit = model->recipe.separation;
    double own[COF_MAX_COLOURS], weights[COF_MAX_COLOURS];
    for (size_t a = 0; a < k; a++) {
        own[a] = sqrt(matrix[a * k + a]);
        weights[a] = keeps_rare ? 1 : sqrt(sqrt(model->frequencies[a]));
    }
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b <= a; b++) {
            double both = own[a] * own[b], share = both > 0 ? matrix[a * k + b] / both / limit : 1;
            double square = share < 1 && a != b ? share * share : 1, fourth = square * square;
            matrix[a * k + b] *= fourth * fourth * weights[a] * weights[b];
            matrix[b * k + a] = matrix[a * k + b];
        }
}

CofStatus cofi_model_normalise(CofModel *model, CofiCall *call, const double *pairs,
                               const double *histogram)
{
    size_t k = (size_t)model->palette.k;
    double all_pairs = sum_of(pairs, k * k), all_pixels = sum_of(histogram, k);
    if (!(all_pairs > 0) || !(all_pixels > 0))
        return COF_ERR_EMPTY;
    for (size_t a = 0; a < k; a++)
        model->frequencies[a] = model->recipe.normalise == COF_NORMALISE_MARGINALS
                                    ? sum_of(pairs + a * k, k) / all_pairs
                                    : histogram[a] / all_pixels;
    Normalising normalising = {model, pairs, all_pairs};
    CofStatus status = each_label(call, (int)k, MANY_LABELS, normalise_row, &normalising);
    if (status == COF_OK && model->recipe.separation > 0)
        separate(model, call->keeps_rare);
    return status;
}

/* What the counts become: C, the pairs of labels, and h, the pixels of each label. */
typedef struct Weighing {
    const CofStats *stats;
    double *weights;   /* of each distance */
    double soft_sigma; /* 0: pixels count for their own label only */
    double *pairs, *histogram;
    double *kernel, *transposed;         /* K and its transpose */
    double *soft_pairs, *soft_histogram; /* K C K^T and K h */
} Weighing;

/* (double)count, in a form that compilers vectorise without AVX-512: both halves are exact, so that
 * their sum is rounded once. */
static inline double number_of(uint64_t count)
{
    uint64_t low_bits = (count & UINT32_MAX) | 0x4330000000000000u; /* 2^52 + the lower half */
    uint64_t high_bits = count >> 32 | 0x4530000000000000u;         /* 2^84 + the upper half */
    double low, high;
    memcpy(&low, &low_bits, sizeof low);
    memcpy(&high, &high_bits, sizeof high);
    return high - (0x1p84 + 0x1p52) + low;
}

/* A row of the lower triangle of C (eq. 7): the counts of all distances, each with its Gaussian
 * weight. A cell of two labels holds both orders of a pair. */
static void weigh_pairs(const Weighing *w, int a)
{
    double *row = w->pairs + (ptrdiff_t)a * w->stats->palette.k;
    for (int i = 0; i < w->stats->distances; i++) {
        const uint64_t *counts = w->stats->counts + (size_t)i * w->stats->cells;
        counts += cofi_cell(a, 0);
        double weight = w->weights[i];
        /* Rows of different distances are far apart. */
        if (i + 1 < w->stats->distances)
            cofi_prefetch(counts + w->stats->cells, ((size_t)a + 1) * sizeof *counts);
        for (int b = 0; b <= a; b++)
            row[b] += weight * number_of(counts[b]);
    }
    for (int b = 0; b < a; b++)
        row[b] /= 2;
}

/* A row of the lower triangle of K, before its columns are divided by their sums. */
static void weigh_centres(const Weighing *w, int a)
{
    const CofiPalette *palette = &w->stats->palette;
    int bands = palette->bands;
    for (int j = 0; j <= a; j++) {
        double square = 0;
        for (int band = 0; band < bands; band++) {
            double d = (double)palette->centres[a * bands + band] -
                       (double)palette->centres[j * bands + band];
            square += d * d;
        }
        bool seen = w->histogram[a] > 0 && w->histogram[j] > 0;
        w->kernel[a * palette->k + j] =
            seen ? cofi_exp(-square / (2 * w->soft_sigma * w->soft_sigma)) : 0;
    }
}

static void weigh_label(void *context, int a, int worker)
{
    (void)worker;
    const Weighing *w = context;
    weigh_pairs(w, a);
    if (w->soft_sigma > 0)
        weigh_centres(w, a);
}

static void mirror(double *matrix, int k)
{
    for (int a = 0; a < k; a++)
        for (int b = a + 1; b < k; b++)
            matrix[a * k + b] = matrix[b * k + a];
}

/* K(a, j): the share of a pixel of label j that counts for label a; columns sum to 1 over the
 * labels that occur. */
static void divide_columns(double *kernel, int k)
{
    double sums[COF_MAX_COLOURS] = {0};
    for (int a = 0; a < k; a++)
        for (int j = 0; j < k; j++)
            sums[j] += kernel[a * k + j];
    for (int a = 0; a < k; a++)
        for (int j = 0; j < k; j++)
            kernel[a * k + j] = sums[j] > 0 ? kernel[a * k + j] / sums[j] : 0;
}

/* Adds four rows, times a factor each, in their order. */
static void add_four(const double *factors, const double *restrict rows, int k,
                     double *restrict sums)
{
    for (int b = 0; b < k; b++)
        sums[b] = sums[b] + factors[0] * rows[b] + factors[1] * rows[k + b] +
                  factors[2] * rows[2 * k + b] + factors[3] * rows[3 * k + b];
}

/* A row of factors times a matrix. Each sum adds its products in the order of j; compilers
 * vectorise the loops over b. */
static void multiply_row(const double *factors, const double *matrix, int k, double *sums)
{
    memset(sums, 0, (size_t)k * sizeof *sums);
    int j = 0;
    for (; j + 4 <= k; j += 4)
        add_four(factors + j, matrix + (ptrdiff_t)j * k, k, sums);
    for (; j < k; j++)
        for (int b = 0; b < k; b++)
            sums[b] += factors[j] * matrix[(ptrdiff_t)j * k + b];
}

/* Row a of K C K^T, and K h of the label (eq. 15). */
static void soften_label(void *context, int a, int worker)
{
    (void)worker;
    const Weighing *w = context;
    int k = w->stats->palette.k;
    const double *kernel = w->kernel + (ptrdiff_t)a * k;
    double half[COF_MAX_COLOURS], sum = 0;
    multiply_row(kernel, w->pairs, k, half);
    multiply_row(half, w->transposed, k, w->soft_pairs + (ptrdiff_t)a * k);
    for (int j = 0; j < k; j++)
        sum += kernel[j] * w->histogram[j];
    w->soft_histogram[a] = sum;
}

static CofStatus soften(CofiCall *call, Weighing *w)
{
    int k = w->stats->palette.k;
    mirror(w->kernel, k);
    divide_columns(w->kernel, k);
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++)
            w->transposed[b * k + a] = w->kernel[a * k + b];
    CofStatus status = each_label(call, k, SOME_LABELS, soften_label, w);
    if (status != COF_OK)
        return status;
    cofi_make_symmetric(w->soft_pairs, (size_t)k);
    w->pairs = w->soft_pairs;
    w->histogram = w->soft_histogram;
    return COF_OK;
}

static CofStatus take_weighing(CofiCall *call, Weighing *w)
{
    size_t k = (size_t)w->stats->palette.k, kernel_cells = w->soft_sigma > 0 ? k * k : 0;
    w->weights = cofi_call_take_raw(call, COFI_MAX_DISTANCES, sizeof *w->weights);
    w->pairs = cofi_call_take(call, k * k, sizeof *w->pairs);
    w->histogram = cofi_call_take_raw(call, k, sizeof *w->histogram);
    w->kernel = cofi_call_take_raw(call, kernel_cells, sizeof *w->kernel);
    w->transposed = cofi_call_take_raw(call, kernel_cells, sizeof *w->transposed);
    w->soft_pairs = cofi_call_take_raw(call, kernel_cells, sizeof *w->soft_pairs);
    w->soft_histogram = cofi_call_take_raw(call, k, sizeof *w->soft_histogram);
    bool all = w->weights && w->pairs && w->histogram && w->kernel && w->transposed &&
               w->soft_pairs && w->soft_histogram;
    return all ? COF_OK : COF_ERR_MEMORY;
}

static CofStatus weigh(CofiCall *call, double sigma, Weighing *w)
{
    int k = w->stats->palette.k, squares[COFI_MAX_DISTANCES];
    int distances = cofi_distances(cofi_learning_radius(w->stats), squares);
    CofStatus status = take_weighing(call, w);
    if (status != COF_OK)
        return status;
    for (int i = 0; i < distances; i++)
        w->weights[i] = cofi_exp(-squares[i] / (2 * sigma * sigma));
    for (int a = 0; a < k; a++)
        w->histogram[a] = (double)w->stats->histogram[a];
    status = each_label(call, k, SOME_LABELS, weigh_label, w);
    mirror(w->pairs, k);
    return status == COF_OK && w->soft_sigma > 0 ? soften(call, w) : status;
}

CofStatus cofi_model_from_one(CofModel **out, CofiCall *call, const CofStats *stats)
{
    assert(stats->has_palette);
    if (!stats->counts)
        return COF_ERR_EMPTY;
    CofiRecipe recipe = cofi_recipe(&call->options, &stats->learning);
    Weighing weighing = {.stats = stats, .soft_sigma = cofi_soft_sigma(stats, &recipe)};
    CofStatus status = weigh(call, recipe.sigma, &weighing);
    if (status != COF_OK)
        return status;
    CofModel *model = cofi_model_blank(&stats->palette, &recipe);
    if (!model)
        return COF_ERR_MEMORY;
    status = cofi_model_normalise(model, call, weighing.pairs, weighing.histogram);
    if (status == COF_OK)
        *out = model;
    else
        cofi_model_free(&model);
    return status;
}

CofStatus cofi_model_from_counts(CofModel **out, CofiCall *call, const CofStats *stats)
{
    CofModel *model = NULL;
    CofStatus status = cofi_model_from_one(&model, call, stats);
    for (int i = 0; i < stats->n_others && status == COF_OK; i++) {
        status = cofi_model_from_one(&model->others[i], call, stats->others[i]);
        model->n_others += status == COF_OK;
    }
    if (status == COF_OK)
        *out = model;
    else
        cofi_model_free(&model);
    return status;
}

static const char *matrix_problem(const double *matrix, size_t k)
{
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < k; b++) {
            double here = matrix[a * k + b], there = matrix[b * k + a];
            if (!isfinite(here) || here < 0)
                return "a matrix must be finite and not negative";
            if (fabs(here - there) > 1e-9 * fmax(here, there))
                return "a matrix must be symmetric";
        }
    return NULL;
}

CofStatus cofi_model_from_matrix(CofModel **out, CofiCall *call, const CofStats *palette,
                                 const double *matrix)
{
    assert(palette->has_palette);
    size_t k = (size_t)palette->palette.k;
    const char *problem = matrix_problem(matrix, k);
    if (problem)
        return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "matrix", problem);
    CofiRecipe recipe = cofi_recipe(&call->options, &palette->learning);
    CofModel *model = cofi_model_blank(&palette->palette, &recipe);
    if (!model)
        return COF_ERR_MEMORY;
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < k; b++)
            model->matrix[a * k + b] = matrix[a * k + b] / 2 + matrix[b * k + a] / 2;
    for (size_t a = 0; a < k; a++)
        model->frequencies[a] = 1.0 / (double)k; /* no data: all weights are equal */
    *out = model;
    return COF_OK;
}
