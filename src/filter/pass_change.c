/* SPDX-License-Identifier: BSD-2-Clause */
/* How passes measure what they change. */
#include "filter/pass_change.h"

#include "image/image.h"

bool cofi_pass_is_measured(const CofiFilter *f)
{
    return f->call->options.report || f->call->options.tolerance > 0;
}

double cofi_pass_unit(const CofiFilter *f, int band)
{
    const CofImage *in = f->job.in;
    if (f->lab)
        return band == 0 ? 2.55 : 1;
    if (in->sample == COF_SAMPLE_F32 && in->kind == COF_KIND_BANDS)
        return 1;
    return 255 / cofi_sample_max(in->sample);
}
