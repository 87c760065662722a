/* SPDX-License-Identifier: BSD-2-Clause */
/* Working values between passes: their labels, residual correction, and the mean of several
 * palettes. */
#include "opencl_values.h"

#include <assert.h>

static size_t groups(const CofiDeviceImage *image)
{
    return cofcl_groups((size_t)image->n);
}

CofStatus cofcl_relabel_grey(CofiDeviceImage *image, bool is_exact, double low, double high, int k)
{
    return cofcl_run(image->device, COFCL_LABEL_GREY_VALUES, groups(image), 1, "middiim",
                     image->values.memory, (int)is_exact, low, high, k, image->n,
                     cofcl_labels(image));
}

CofStatus cofcl_relabel_rgb(CofiDeviceImage *image, const float *centres, int k)
{
    CofSample sample = image->view.sample;
    double max_value = sample == COF_SAMPLE_U8 ? 255 : sample == COF_SAMPLE_U16 ? 65535 : 1;
    CofStatus status =
        cofcl_write(image->device, image->centres.memory, centres, (size_t)k * 3 * sizeof *centres);
    return status == COF_OK ? cofcl_run(image->device, COFCL_LABEL_RGB_VALUES, groups(image), 1,
                                        "mdmiim", image->values.memory, max_value,
                                        image->centres.memory, k, image->n, cofcl_labels(image))
                            : status;
}

CofStatus cofcl_keep(CofiDeviceImage *image)
{
    assert(image->view.keeps);
    return cofcl_run(image->device, COFCL_KEEP, groups(image), 1, "mim", image->values.memory,
                     image->n, image->kept.memory);
}

CofStatus cofcl_subtract(CofiDeviceImage *image)
{
    const CofiDeviceView *view = &image->view;
    if (view->sample != COF_SAMPLE_U8)
        return cofcl_run(image->device, COFCL_SUBTRACT_WIDE, groups(image), 1, "mimiiiim",
                         image->bytes.memory, (int)(view->sample == COF_SAMPLE_F32),
                         image->linear.memory, view->channels, view->bands, (int)view->lab,
                         image->n, image->values.memory);
    return cofcl_run(image->device, COFCL_SUBTRACT, groups(image), 1, "mmiiiim",
                     image->bytes.memory, image->linear.memory, view->channels, view->bands,
                     (int)view->lab, image->n, image->values.memory);
}

CofStatus cofcl_add_kept(CofiDeviceImage *image)
{
    assert(image->view.keeps);
    return cofcl_run(image->device, COFCL_ADD_KEPT, groups(image), 1, "mim", image->kept.memory,
                     image->n, image->values.memory);
}

CofStatus cofcl_add_to_mean(CofiDeviceImage *image)
{
    return cofcl_run(image->device, COFCL_ADD_TO_MEAN, groups(image), 1, "iiimmmm", image->member,
                     image->view.members, image->n, image->mean.memory, image->counts.memory,
                     image->values.memory, image->changed.memory);
}
