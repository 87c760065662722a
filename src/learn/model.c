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

/* Rows of so few labels take less time than handing them to other threads. */
#define FEW_LABELS 64

/* Runs a function for the rows of a matrix. */
static CofStatus each_label(CofiCall *call, int k, CofiRows *rows, void *context)
{
    if (k > FEW_LABELS)
        return cofi_call_rows(call, k, 0, rows, context);
    rows(context, 0, k, 0);
    return COF_OK;
}

typedef struct Normalising {
    CofModel *model;
    const double *pairs;
    double all_pairs;
} Normalising;

static void normalise_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Normalising *n = context;
    const double *pi = n->model->frequencies;
    size_t k = (size_t)n->model->palette.k;
    for (size_t a = (size_t)first; a < (size_t)last; a++)
        for (size_t b = 0; b < k; b++) {
            double chance = pi[a] * pi[b];
            n->model->matrix[a * k + b] =
                chance > 0 ? n->pairs[a * k + b] / n->all_pairs / chance : 0;
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
    CofStatus status = each_label(call, (int)k, normalise_rows, &normalising);
    if (status == COF_OK && model->recipe.separation > 0)
        separate(model, call->keeps_rare);
    return status;
}

typedef struct Weighing {
    const CofStats *stats;
    double weights[COFI_MAX_DISTANCES];
    double *pairs;
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

/* Rows of the lower triangle. A cell of two labels holds both orders of a pair. */
static void weigh_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Weighing *w = context;
    for (int a = first; a < last; a++) {
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
}

/* Rows of the upper triangle. */
static void mirror_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Weighing *w = context;
    ptrdiff_t k = w->stats->palette.k;
    for (ptrdiff_t a = first; a < last; a++)
        for (ptrdiff_t b = a + 1; b < k; b++)
            w->pairs[a * k + b] = w->pairs[b * k + a];
}

/* C of eq. 7: the counts of all distances, each with its Gaussian weight. */
static CofStatus weigh_counts(CofiCall *call, const CofStats *stats, double sigma, double *pairs)
{
    Weighing weighing = {.stats = stats, .pairs = pairs};
    int k = stats->palette.k, squares[COFI_MAX_DISTANCES];
    int distances = cofi_distances(cofi_learning_radius(stats), squares);
    for (int i = 0; i < distances; i++)
        weighing.weights[i] = cofi_exp(-squares[i] / (2 * sigma * sigma));
    CofStatus status = each_label(call, k, weigh_rows, &weighing);
    return status == COF_OK ? each_label(call, k, mirror_rows, &weighing) : status;
}

/* K(a, j): the share of a pixel of label j that counts for label a; columns sum to 1 over the
 * labels that occur. */
static void soften_kernel(const CofiPalette *palette, double sigma, const double *histogram,
                          double *kernel)
{
    int k = palette->k, bands = palette->bands;
    for (int j = 0; j < k; j++)
        for (int a = 0; a <= j; a++) {
            double square = 0;
            for (int band = 0; band < bands; band++) {
                double d = (double)palette->centres[a * bands + band] -
                           (double)palette->centres[j * bands + band];
                square += d * d;
            }
            bool seen = histogram[a] > 0 && histogram[j] > 0;
            kernel[a * k + j] = kernel[j * k + a] =
                seen ? cofi_exp(-square / (2 * sigma * sigma)) : 0;
        }
    double sums[COF_MAX_COLOURS] = {0};
    for (int a = 0; a < k; a++)
        for (int j = 0; j < k; j++)
            sums[j] += kernel[a * k + j];
    for (int a = 0; a < k; a++)
        for (int j = 0; j < k; j++)
            kernel[a * k + j] = sums[j] > 0 ? kernel[a * k + j] / sums[j] : 0;
}

/* out = left * right. */
typedef struct Product {
    const double *left, *right;
    double *out;
    int k;
} Product;

/* Adds four rows, times a factor each, in their order. */
static void add_four(const double *factors, const double *restrict rows, int k,
                     double *restrict sums)
{
    for (int b = 0; b < k; b++)
        sums[b] = sums[b] + factors[0] * rows[b] + factors[1] * rows[k + b] +
                  factors[2] * rows[2 * k + b] + factors[3] * rows[3 * k + b];
}

/* Each sum adds its products in the order of j; compilers vectorise the loops over b. */
static void multiply_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Product *p = context;
    int k = p->k;
    for (int a = first; a < last; a++) {
        const double *factors = p->left + (ptrdiff_t)a * k;
        double *sums = p->out + (ptrdiff_t)a * k;
        memset(sums, 0, (size_t)k * sizeof *sums);
        int j = 0;
        for (; j + 4 <= k; j += 4)
            add_four(factors + j, p->right + (ptrdiff_t)j * k, k, sums);
        for (; j < k; j++)
            for (int b = 0; b < k; b++)
                sums[b] += factors[j] * p->right[(ptrdiff_t)j * k + b];
    }
}

static void transpose(const double *matrix, int k, double *transposed)
{
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++)
            transposed[b * k + a] = matrix[a * k + b];
}

/* C_soft = K C K^T and h_soft = K h (eq. 15), in place. */
static CofStatus soften(CofiCall *call, const CofiPalette *palette, double sigma, double *pairs,
                        double *histogram)
{
    int k = palette->k;
    size_t cells = (size_t)k * (size_t)k;
    double *kernel = cofi_call_take(call, cells, sizeof *kernel);
    double *half = cofi_call_take(call, cells, sizeof *half);
    double *transposed = cofi_call_take_raw(call, cells, sizeof *transposed);
    double *soft = cofi_call_take(call, (size_t)k, sizeof *soft);
    if (!kernel || !half || !transposed || !soft)
        return COF_ERR_MEMORY;
    soften_kernel(palette, sigma, histogram, kernel);
    transpose(kernel, k, transposed);
    Product one = {kernel, pairs, half, k}, other = {half, transposed, pairs, k};
    CofStatus status = each_label(call, k, multiply_rows, &one);
    if (status == COF_OK)
        status = each_label(call, k, multiply_rows, &other);
    if (status != COF_OK)
        return status;
    cofi_make_symmetric(pairs, (size_t)k);
    for (int a = 0; a < k; a++)
        for (int j = 0; j < k; j++)
            soft[a] += kernel[a * k + j] * histogram[j];
    memcpy(histogram, soft, (size_t)k * sizeof *soft);
    return COF_OK;
}

CofStatus cofi_model_from_one(CofModel **out, CofiCall *call, const CofStats *stats)
{
    assert(stats->has_palette);
    if (!stats->counts)
        return COF_ERR_EMPTY;
    size_t k = (size_t)stats->palette.k;
    CofiRecipe recipe = cofi_recipe(&call->options, &stats->learning);
    double *pairs = cofi_call_take(call, k * k, sizeof *pairs);
    double *histogram = cofi_call_take(call, k, sizeof *histogram);
    if (!pairs || !histogram)
        return COF_ERR_MEMORY;
    CofStatus status = weigh_counts(call, stats, recipe.sigma, pairs);
    if (status != COF_OK)
        return status;
    for (size_t a = 0; a < k; a++)
        histogram[a] = (double)stats->histogram[a];
    double sigma = cofi_palette_soft_sigma(&stats->palette, recipe.softness);
    if (sigma > 0)
        status = soften(call, &stats->palette, sigma, pairs, histogram);
    if (status != COF_OK)
        return status;
    CofModel *model = cofi_model_blank(&stats->palette, &recipe);
    if (!model)
        return COF_ERR_MEMORY;
    status = cofi_model_normalise(model, call, pairs, histogram);
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
