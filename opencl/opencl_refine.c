/* SPDX-License-Identifier: BSD-2-Clause */
/* Refinement of a result on a device. */
#include "opencl_refine.h"

#include <assert.h>

/* The radius that has a kernel of its own. */
#define SMALL_RADIUS 2

CofStatus cofcl_mark(CofiDeviceImage *image, const uint8_t weighs[256], bool is_first)
{
    CofStatus status = cofcl_write(image->device, image->table.memory, weighs, 256);
    return status == COF_OK
               ? cofcl_run(image->device, COFCL_MARK_WEIGHTS, cofcl_groups((size_t)image->n), 1,
                           "mmiim", cofcl_labels(image), image->table.memory, (int)is_first,
                           image->n, image->changed.memory)
               : status;
}

/* Results of integers are refined as they would be stored. */
static CofStatus round_values(CofiDeviceImage *image)
{
    const CofiDeviceView *view = &image->view;
    size_t groups = cofcl_groups((size_t)image->n);
    if (view->sample == COF_SAMPLE_F32)
        return COF_OK;
    if (view->sample == COF_SAMPLE_U16)
        return cofcl_run(image->device, COFCL_ROUND_WORDS, groups, 1, "miim", image->linear.memory,
                         (int)view->lab, image->n, image->values.memory);
    return cofcl_run(image->device, COFCL_ROUND_BYTES, groups, 1, "mmiim", image->linear.memory,
                     image->encoding.memory, (int)view->lab, image->n, image->values.memory);
}

static RefineShape shape_of(const CofiDeviceImage *image, const CofiDeviceRefine *refine)
{
    const CofiDeviceView *view = &image->view;
    RefineShape shape = {.some_stay = refine->some_stay,
                         .to_bytes = view->sample == COF_SAMPLE_U8,
                         .channels = view->channels,
                         .bands = view->bands,
                         .lab = view->lab,
                         .detail = (float)refine->detail};
    for (int band = 0; band < view->bands; band++) {
        shape.unit[band] = 1 / refine->range[band];
        shape.shift[band] = -refine->middle[band] * shape.unit[band];
        shape.range[band] = refine->range[band];
        shape.middle[band] = refine->middle[band];
    }
    return shape;
}

static CofStatus run(CofiDeviceImage *image, const CofiDeviceRefine *refine)
{
    const CofiDeviceView *view = &image->view;
    CofRect rect = refine->rect;
    PassShape pass = {.radius = refine->radius,
                      .width = view->width,
                      .height = view->height,
                      .x = rect.x,
                      .columns = rect.width,
                      .first = rect.y,
                      .end = rect.y + rect.height,
                      .alpha_bytes = view->alpha_bytes};
    RefineShape shape = shape_of(image, refine);
    bool small = refine->radius == SMALL_RADIUS;
    int wide = PASS_ITEMS - 2 * refine->radius, rows = small ? REFINE_WALK : REFINE_ROWS;
    return cofcl_run(image->device, small ? COFCL_REFINE_SMALL : COFCL_REFINE,
                     (size_t)((rect.width - 1) / wide + 1), (size_t)((rect.height - 1) / rows + 1),
                     "mmmmssmmm", image->original.memory, image->values.memory,
                     image->alphas.memory, image->encoding.memory, sizeof pass, &pass, sizeof shape,
                     &shape, image->filtered.memory, image->changed.memory, image->bytes.memory);
}

CofStatus cofcl_refine(CofiDeviceImage *image, const CofiDeviceRefine *refine)
{
    assert(image->has_original);
    CofStatus status = round_values(image);
    if (status == COF_OK)
        status = run(image, refine);
    if (status != COF_OK || image->view.sample == COF_SAMPLE_U8)
        return status;
    CofclBuffer values = image->values;
    image->values = image->filtered;
    image->filtered = values;
    return cofcl_store(image, refine->detail);
}
