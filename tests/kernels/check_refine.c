/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the kernels of refinement against C. */
#include "kernels_check.h"

#include <string.h>

/* Rows, planes and columns of models, at most. */
#define MAX_ROWS 33
#define MAX_PLANES (COFI_MAX_FITTED * (COFI_MAX_GUIDES + 1))
#define ROUNDED(n) (((n) + COFI_COLUMNS - 1) / COFI_COLUMNS * COFI_COLUMNS)

/* Values of about 1, or some that are too large for sums of squares. */
static float value_of(Random *random, bool extreme)
{
    static const float odd[] = {0, -0.0f, 1e-30f, 1e15f, -1e19f, 3e38f, -3e38f};
    if (extreme && random_below(random, 100) == 0)
        return odd[random_below(random, sizeof odd / sizeof odd[0])];
    return random_between(random, -1, 1);
}

/* Rows of weights, three guides and three values. */
static void fill_rows(Random *random, float **rows, int n_rows, int n, ptrdiff_t stride,
                      bool extreme)
{
    enum { PLANES = 1 + COFI_MAX_GUIDES + COFI_MAX_FITTED };
    for (int row = 0; row < n_rows; row++) {
        rows[row] =
            guarded(PLANES * (size_t)stride * sizeof(float), row % 2 ? WALL_AFTER : WALL_BEFORE);
        for (int x = 0; x < stride; x++) {
            bool known = x < n && (!extreme || (x / 40 % 3 && random_below(random, 5)));
            rows[row][x] = known;
            for (int plane = 1; plane < PLANES; plane++)
                rows[row][plane * stride + x] = known ? value_of(random, extreme) : 0;
        }
    }
}

/* The first n columns of planes. */
static void expect_same(float *const planes[2], int n_planes, ptrdiff_t stride, int n)
{
    for (ptrdiff_t i = 0; i < n_planes * stride; i += stride)
        expect(memcmp(planes[0] + i, planes[1] + i, (size_t)n * sizeof(float)) == 0,
               "is not what C gives");
}

static void check_fit(const Level *level, Random *random, CofiFit fit, bool extreme)
{
    int taps = 2 * fit.radius + 1, planes = fit.values * (fit.guides + 1);
    float *rows[MAX_ROWS];
    fit.model_stride = ROUNDED(fit.n);
    fit.stride = ROUNDED(fit.n + taps - 1);
    fill_rows(random, rows, fit.n_rows, fit.n + taps - 1, fit.stride, extreme);
    fit.rows = (const float *const *)rows;
    fit.guide = fit.guides == 1 ? 2 : 1;
    fit.value = 1 + COFI_MAX_GUIDES + COFI_MAX_FITTED - fit.values;
    size_t bytes = (size_t)(planes * fit.model_stride) * sizeof(float),
           row_bytes = (size_t)fit.model_stride * sizeof(float);
    float *models[2], *known[2];
    checking("%s fit_row: %d guides, %d values, radius %d, %d rows, n %d%s", level->name,
             fit.guides, fit.values, fit.radius, fit.n_rows, fit.n, extreme ? ", extreme" : "");
    for (int i = 0; i < 2; i++) {
        fit.sums = fenced(COFI_FIT_SCRATCH * sizeof(float));
        fit.models = models[i] = fenced(bytes);
        fit.known = known[i] = fenced(row_bytes);
        for (int x = 0; x < fit.model_stride; x++)
            known[i][x] = x % 50 > 0;
        (i == 0 ? cofi_fit_row_c : level->kernels.fit_row)(&fit);
        expect(untouched(models[i], bytes) && untouched(known[i], row_bytes) &&
                   untouched(fit.sums, COFI_FIT_SCRATCH * sizeof(float)),
               "writes outside");
    }
    expect_same(models, planes, fit.model_stride, fit.n);
    expect_same(known, 1, fit.model_stride, fit.n);
    int unknown = 0;
    for (int x = 0; x < fit.n; x++)
        unknown += known[0][x] == 0;
    expect(extreme || unknown == (fit.n + 49) / 50, "knows too few models");
    release();
}

/* Both with random models. */
static void check_mix_and_apply(const Level *level, Random *random, int guides, int n)
{
    ptrdiff_t stride = ROUNDED(n) + COFI_COLUMNS, mixed_stride = stride + COFI_COLUMNS;
    size_t bytes = (size_t)(MAX_PLANES * mixed_stride) * sizeof(float),
           row_bytes = (size_t)ROUNDED(n) * sizeof(float);
    float *planes[3], share = random_below(random, 3) ? random_between(random, 0, 1) : 0;
    for (int i = 0; i < 3; i++) {
        planes[i] = guarded((size_t)(MAX_PLANES * stride) * sizeof(float),
                            n % 2 ? WALL_AFTER : WALL_BEFORE);
        for (int x = 0; x < MAX_PLANES * stride; x++)
            planes[i][x] = value_of(random, false);
    }
    float *mixed[2], *values[2];
    checking("%s mix_rows and apply_row: %d guides, n %d", level->name, guides, n);
    for (int i = 0; i < 2; i++) {
        mixed[i] = fenced(bytes);
        memset(mixed[i], 0, bytes);
        (i == 0 ? cofi_mix_rows_c : level->kernels.mix_rows)(planes[0], planes[1], share, stride,
                                                             MAX_PLANES, n, mixed[i], mixed_stride);
        values[i] = fenced(row_bytes);
        CofiApply apply = {.models = planes[0],
                           .model_stride = stride,
                           .share = share,
                           .guide = planes[2],
                           .stride = stride,
                           .guides = guides,
                           .n = n,
                           .middle = 50,
                           .range = 100,
                           .values = values[i]};
        (i == 0 ? cofi_apply_row_c : level->kernels.apply_row)(&apply);
        expect(untouched(mixed[i], bytes) && untouched(values[i], row_bytes), "writes outside");
    }
    expect_same(mixed, MAX_PLANES, mixed_stride, n);
    expect_same(values, 1, ROUNDED(n), n);
    release();
}

void check_refine(const Level *level)
{
    static const int radii[] = {1, 2, 3, 16};
    Random random = {1};
    for (int guides = 1; guides <= COFI_MAX_GUIDES; guides += 2)
        for (int n = 1; n <= 250; n += n < 40 ? 1 : 37) {
            check_mix_and_apply(level, &random, guides, n);
            for (int i = 0; i < 8; i++) {
                CofiFit fit = {.guides = guides,
                               .values = 1 + (n + i) % COFI_MAX_FITTED,
                               .radius = radii[i / 2],
                               .n_rows = 1 + (n + i) % (2 * radii[i / 2] + 1),
                               .n = n};
                check_fit(level, &random, fit, i % 2);
            }
        }
}
