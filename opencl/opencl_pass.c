/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of the filter on a device. */
#include "opencl_pass.h"

#include <stdlib.h>
#include <string.h>

#include "opencl_fast.h"

/* Writes rows of k weights and a zero. */
static CofStatus write_matrix(CofiDeviceImage *image, const CofiDevicePass *pass)
{
    size_t k = (size_t)pass->k, stride = (size_t)pass->stride, n = k * (k + 1);
    float *rows = calloc(n, sizeof *rows);
    if (!rows)
        return COF_ERR_MEMORY;
    for (size_t a = 0; a < k; a++)
        memcpy(rows + a * (k + 1), pass->matrix + a * stride, k * sizeof *rows);
    CofStatus status = cofcl_write(image->device, image->matrix.memory, rows, n * sizeof *rows);
    free(rows);
    return status;
}

CofStatus cofcl_pass_start(CofiDeviceImage *image, const CofiDevicePass *pass)
{
    image->pass = *pass;
    CofStatus status = write_matrix(image, pass);
    size_t side = 2 * (size_t)pass->radius + 1;
    if (status == COF_OK)
        status = cofcl_write(image->device, image->gauss.memory, pass->gauss, side * sizeof(float));
    if (status == COF_OK && pass->fast)
        status = cofcl_fast_start(image);
    return status == COF_OK
               ? cofcl_clear(image->device, image->sums.memory, image->groups * sizeof(float))
               : status;
}

CofStatus cofcl_pass_rows(CofiDeviceImage *image, int first, int last)
{
    CofiDevice *d = image->device;
    const CofiDevicePass *p = &image->pass;
    const CofiDeviceView *view = &image->view;
    int tile_height = PASS_ITEMS / TILE_WIDTH * d->pixels;
    int wide = (p->rect.width - 1) / TILE_WIDTH + 1, high = (last - first - 1) / tile_height + 1;
    PassShape shape = {.k = p->k,
                       .radius = p->radius,
                       .border = (int)p->border,
                       .width = view->width,
                       .height = view->height,
                       .view_x = view->x,
                       .view_y = view->y,
                       .full_width = view->full_width,
                       .full_height = view->full_height,
                       .x = p->rect.x,
                       .columns = p->rect.width,
                       .first = p->rect.y + first,
                       .end = p->rect.y + last,
                       .measured = p->measured,
                       .first_sum = first / tile_height * wide,
                       .part_x = p->part.x,
                       .part_y = p->part.y,
                       .part_width = p->part.width,
                       .part_height = p->part.height,
                       .alpha_bytes = view->alpha_bytes,
                       .units = {p->units[0], p->units[1], p->units[2]}};
    /* A call that is cancelled need not wait for more than one strip. */
    CofStatus status = first > 0 ? cofcl_finish(d) : COF_OK;
    if (status != COF_OK)
        return status;
    status = p->fast ? cofcl_fast_rows(image, shape)
                     : cofcl_run(d, COFCL_PASS, (size_t)wide, (size_t)high, "mmmmmsmmm",
                                 image->values.memory, cofcl_labels(image), image->alphas.memory,
                                 image->matrix.memory, image->gauss.memory, sizeof shape, &shape,
                                 image->filtered.memory, image->changed.memory, image->sums.memory);
    return status == COF_OK && p->awaited ? cofcl_finish(d) : status;
}

static CofStatus sum_changes(CofiDeviceImage *image, double *change)
{
    float *sums = malloc(image->groups * sizeof *sums);
    if (!sums)
        return COF_ERR_MEMORY;
    CofStatus status =
        cofcl_read(image->device, image->sums.memory, sums, image->groups * sizeof *sums);
    *change = 0;
    for (size_t i = 0; i < image->groups && status == COF_OK; i++)
        *change += (double)sums[i];
    free(sums);
    return status;
}

/* Refinement needs what the first pass reads. */
static void exchange_values(CofiDeviceImage *image)
{
    bool keeps = image->view.refined && !image->has_original;
    CofclBuffer *other = keeps ? &image->original : &image->filtered, values = image->values;
    image->values = image->filtered;
    image->filtered = *other;
    *other = values;
    image->has_original |= keeps;
}

CofStatus cofcl_pass_end(CofiDeviceImage *image, double *change)
{
    exchange_values(image);
    *change = 0;
    return image->pass.measured ? sum_changes(image, change) : COF_OK;
}
