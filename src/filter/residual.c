/* SPDX-License-Identifier: BSD-2-Clause */
/* Residual correction (Tukey's twicing). With fixed labels, all passes are one linear filter F. The
 * result J = F I is replaced by J + F (I - J). Where F has moved the colour of a large area, most
 * of the difference passes F and comes back; texture does not, since F removes it again.
 *
 * If further passes G follow, as in two-scale filtering, the residual is that of the final result:
 * J + F (I - G J). */
#include "filter/residual.h"

#include <string.h>

#include "base/arithmetic.h"
#include "filter/filter_pass.h"

/* Keeps the result so far. */
static void keep_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    CofiFilter *f = context;
    size_t width = (size_t)f->view.width, rows = (size_t)(last - first);
    for (int band = 0; band < f->bands; band++)
        memcpy(f->corrected[band] + (size_t)first * width, f->now[band] + (size_t)first * width,
               rows * width * sizeof(float));
}

/* Rows of the input, in `rows`. */
static void input_row(const CofiFilter *f, int y, float *const planes[], float *rows[])
{
    CofiSource source = cofi_filter_source(f);
    source.planes = NULL;
    for (int band = 0; band < f->bands; band++)
        rows[band] = planes[band] + (ptrdiff_t)y * f->view.width;
    cofi_source_row(&source, 0, y, f->view.width, rows);
}

/* Before the first pass, the result is the input. */
static void load_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    CofiFilter *f = context;
    for (int y = first; y < last; y++) {
        float *rows[COF_MAX_BANDS];
        input_row(f, y, f->now, rows);
    }
}

/* now = in - now. The planes of the next pass are not in use. */
static void subtract_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    CofiFilter *f = context;
    for (int y = first; y < last; y++) {
        float *rows[COF_MAX_BANDS];
        input_row(f, y, f->next, rows);
        for (int band = 0; band < f->bands; band++) {
            float *now = f->now[band] + (ptrdiff_t)y * f->view.width;
            for (int x = 0; x < f->view.width; x++)
                now[x] = cofi_to_finite(rows[band][x] - now[x]);
        }
    }
}

static void add_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    CofiFilter *f = context;
    ptrdiff_t begin = (ptrdiff_t)first * f->view.width, end = (ptrdiff_t)last * f->view.width;
    for (int band = 0; band < f->bands; band++) {
        float *now = f->now[band];
        const float *result = f->corrected[band];
        for (ptrdiff_t i = begin; i < end; i++)
            now[i] = cofi_to_finite(now[i] + result[i]);
    }
}

static CofStatus run(CofiFilter *f, const CofModel *model, int passes, int *left)
{
    CofStatus status = COF_OK;
    for (int pass = 0; pass < passes && status == COF_OK; pass++) {
        double change;
        status = cofi_filter_pass(f, model, --*left, &change);
    }
    return status;
}

static CofStatus each_row(CofiFilter *f, CofiRows *work)
{
    return cofi_call_rows(f->call, f->view.height, 0, work, f);
}

CofStatus cofi_filter_residuals(CofiFilter *f, const CofModel *model)
{
    const CofiFilterJob *job = &f->job;
    int passes = f->passes; /* fewer than asked for, if they have converged */
    int left = job->fidelity * (job->iterations + job->further);
    CofStatus status = COF_OK;
    if (job->fidelity > 0 && passes == 0) {
        status = each_row(f, load_rows);
        f->passes = 1; /* the values are in planes */
    }
    for (int round = 0; round < job->fidelity && status == COF_OK; round++) {
        status = each_row(f, keep_rows);
        if (status == COF_OK)
            status = run(f, model, job->further, &left);
        if (status == COF_OK)
            status = each_row(f, subtract_rows);
        if (status == COF_OK)
            status = run(f, model, passes, &left);
        if (status == COF_OK)
            status = each_row(f, add_rows);
    }
    return status;
}
