/* SPDX-License-Identifier: BSD-2-Clause */
/* Residual correction (Tukey's twicing). With fixed labels, all passes are one linear filter F. The
 * result J = F I is replaced by J + F (I - J). Where F has moved the colour of a large area, most
 * of the difference passes F and comes back; texture does not, since F removes it again. */
#include "filter/residual.h"

#include "filter/device_passes.h"
#include "filter/filter_pass.h"

/* A round of passes, which `left` passes follow. */
static CofStatus correct(CofiFilter *f, const CofModel *model, int passes, int left)
{
    CofStatus status = COF_OK;
    for (int pass = passes - 1; pass >= 0 && status == COF_OK; pass--) {
        double change;
        f->residual = pass == passes - 1;
        f->correcting = pass == 0;
        status = cofi_filter_pass(f, &model, left + pass, &change);
    }
    return status;
}

CofStatus cofi_filter_residuals(CofiFilter *f, const CofModel *model)
{
    int passes = f->passes; /* fewer than asked for, if they have converged */
    CofStatus status = COF_OK;
    for (int round = f->job.fidelity - 1; round >= 0 && status == COF_OK; round--) {
        f->kept = f->latest;
        if (f->device)
            status = cofi_device_filter_keep(f);
        if (status == COF_OK)
            status = correct(f, model, passes, round * passes);
        f->kept = -1;
    }
    return status;
}
