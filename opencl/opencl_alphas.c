/* SPDX-License-Identifier: BSD-2-Clause */
/* Alphas of an image on a device. */
#include "opencl_alphas.h"

/* Work-groups that share the columns, and the rows, of a count. */
#define COUNT_WIDE 4
#define COUNT_HIGH 256

CofStatus cofcl_find_alphas(CofiDeviceImage *image, const uint8_t *valid, bool has_alpha)
{
    const CofiDeviceView *view = &image->view;
    int sample_bytes = view->sample == COF_SAMPLE_U8 ? 1 : view->sample == COF_SAMPLE_U16 ? 2 : 4;
    CofStatus status = COF_OK;
    if (valid)
        status = cofcl_write(image->device, image->alphas.memory, valid, (size_t)image->n);
    return status == COF_OK
               ? cofcl_run(image->device, COFCL_FIND_ALPHAS, cofcl_groups((size_t)image->n), 1,
                           "miiiiiim", image->bytes.memory, sample_bytes, view->channels,
                           (int)has_alpha, (int)(valid != NULL), view->alpha_bytes, image->n,
                           image->alphas.memory)
               : status;
}

/* The first bytes of the alphas are a map of two labels: without data, and with data. */
CofStatus cofcl_count_valid(CofiDeviceImage *image, CofRect rect, double *pixels)
{
    uint32_t counts[COFCL_HISTOGRAM_SIZE] = {0};
    ClMemory histogram = image->histogram.memory, map = image->alphas.memory;
    size_t high = rect.height < COUNT_HIGH ? (size_t)rect.height : COUNT_HIGH;
    CofStatus status = cofcl_clear(image->device, histogram, sizeof counts);
    if (status == COF_OK)
        status =
            cofcl_run(image->device, COFCL_HISTOGRAM, COUNT_WIDE, high, "mmiiiiiim", map, map, 0,
                      image->view.width, rect.x, rect.y, rect.width, rect.height, histogram);
    if (status == COF_OK)
        status = cofcl_read(image->device, histogram, counts, sizeof counts);
    *pixels = counts[1];
    return status;
}
