/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of the filter on a device. */
#include "opencl_pass.h"

#include <stdlib.h>
#include <string.h>

#define TILE_WIDTH 32

/* Writes rows of k weights and a zero. */
static CofStatus write_matrix(CofiDeviceImage *image, const CofiDevicePass *pass)
{
    size_t k = (size_t)pass->k, stride = (size_t)pass->stride, n = k * (k + 1);
    float *rows = calloc(n, sizeof *rows);
    if (!rows)
        return COF_ERR_MEMORY;
    for (size_t a = 0; a < k; a++)
        memcpy(rows + a * (k + 1), pass->matrix + a * stride, k * sizeof *rows);
    CofStatus status = cofcl_write(image->device, image->matrix, rows, n * sizeof *rows);
    free(rows);
    return status;
}

CofStatus cofcl_pass_start(CofiDeviceImage *image, const CofiDevicePass *pass)
{
    image->pass = *pass;
    CofStatus status = write_matrix(image, pass);
    size_t side = 2 * (size_t)pass->radius + 1;
    if (status == COF_OK)
        status = cofcl_write(image->device, image->gauss, pass->gauss, side * sizeof(float));
    return status == COF_OK ? cofcl_clear(image->device, image->sums, image->groups * sizeof(float))
                            : status;
}

CofStatus cofcl_pass_rows(CofiDeviceImage *image, int first, int last)
{
    CofiDevice *d = image->device;
    const CofiDevicePass *p = &image->pass;
    const CofiDeviceView *view = &image->view;
    int tile_height = COFCL_ITEMS / TILE_WIDTH * d->pixels;
    int wide = (p->rect.width - 1) / TILE_WIDTH + 1, high = (last - first - 1) / tile_height + 1;
    CofStatus status = cofcl_run(
        d, COFCL_PASS, (size_t)wide * COFCL_ITEMS, (size_t)high, "mmmimimiiiiiiiiiiiiiiiiifffmmim",
        image->values, image->labels, image->alphas, (int)view->has_alphas, image->matrix, p->k,
        image->gauss, p->radius, (int)p->border, view->width, view->height, view->x, view->y,
        view->full_width, view->full_height, p->rect.x, p->rect.width, p->rect.y + first,
        p->rect.y + last, p->part.x, p->part.y, p->part.width, p->part.height, (int)p->measured,
        (double)p->units[0], (double)p->units[1], (double)p->units[2], image->filtered,
        image->changed, first / tile_height * wide, image->sums);
    return status == COF_OK ? cofcl_finish(d) : status;
}

static CofStatus sum_changes(CofiDeviceImage *image, double *change)
{
    float *sums = malloc(image->groups * sizeof *sums);
    if (!sums)
        return COF_ERR_MEMORY;
    CofStatus status = cofcl_read(image->device, image->sums, sums, image->groups * sizeof *sums);
    *change = 0;
    for (size_t i = 0; i < image->groups && status == COF_OK; i++)
        *change += (double)sums[i];
    free(sums);
    return status;
}

CofStatus cofcl_pass_end(CofiDeviceImage *image, double *change)
{
    ClMemory values = image->values;
    image->values = image->filtered;
    image->filtered = values;
    *change = 0;
    return image->pass.measured ? sum_changes(image, change) : COF_OK;
}
