/* SPDX-License-Identifier: BSD-2-Clause */
/* Residual correction (Tukey's twicing). With fixed labels, all passes are one linear filter F. The
 * result J = F I is replaced by J + F (I - J). Where F has moved the colour of a large area, most
 * of the difference passes F and comes back; texture does not, since F removes it again.
 *
 * If further passes G follow, as in two-scale filtering, the residual is that of the final result:
 * J + F (I - G J). */
#include "filter/residual.h"

#include "base/arithmetic.h"
#include "filter/device_passes.h"
#include "filter/filter_pass.h"

/* Without passes, F changes nothing: the latest values become the result so far, which is the input
 * before the first round, plus their residual. */
static void add_residual_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    CofiFilter *f = context;
    CofiSource input = cofi_filter_source(f);
    input.planes = NULL;
    for (int y = first; y < last; y++) {
        ptrdiff_t at = (ptrdiff_t)y * f->view.width;
        float *rows[COF_MAX_BANDS];
        for (int band = 0; band < f->bands; band++)
            rows[band] = f->sets[cofi_filter_free_set(f)][band] + at;
        cofi_source_row(&input, 0, y, f->view.width, rows);
        for (int band = 0; band < f->bands; band++) {
            float *latest = f->sets[f->latest][band] + at;
            const float *result = f->kept >= 0 ? f->sets[f->kept][band] + at : rows[band];
            for (int x = 0; x < f->view.width; x++)
                latest[x] = cofi_to_finite(cofi_to_finite(rows[band][x] - latest[x]) + result[x]);
        }
    }
}

/* Some passes, which `left` passes follow. */
static CofStatus run(CofiFilter *f, const CofModel *model, int passes, bool correcting, int left)
{
    CofStatus status = COF_OK;
    for (int pass = passes - 1; pass >= 0 && status == COF_OK; pass--) {
        double change;
        f->residual = correcting && pass == passes - 1;
        f->correcting = correcting && pass == 0;
        status = cofi_filter_pass(f, &model, left + pass, &change);
    }
    return status;
}

CofStatus cofi_filter_residuals(CofiFilter *f, const CofModel *model)
{
    const CofiFilterJob *job = &f->job;
    int passes = f->passes; /* fewer than asked for, if they have converged */
    CofStatus status = COF_OK;
    for (int round = job->fidelity - 1; round >= 0 && status == COF_OK; round--) {
        int left = round * (passes + job->further);
        f->kept = f->latest;
        if (f->device)
            status = cofi_device_filter_keep(f);
        if (status == COF_OK)
            status = run(f, model, job->further, false, left + passes);
        if (status == COF_OK && passes > 0)
            status = run(f, model, passes, true, left);
        else if (status == COF_OK && f->device)
            status = cofi_device_filter_add_residual(f);
        else if (status == COF_OK)
            status = cofi_call_rows(f->call, f->view.height, 0, add_residual_rows, f);
        f->kept = -1;
    }
    return status;
}
