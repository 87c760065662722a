/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of each pixel is chosen. */
#include "select/matting.h"

#include "io/image_file.h"
#include "io/paths.h"
#include "ui/error_line.h"
#include "lesson.h"

/* The window and the passes that make a border soft. */
#define SOFT_WINDOW 7
#define SOFT_PASSES 2

/* Even inside and outside of a mask there are doubts, so that what was learned has a say; and near
 * its border more. */
#define DOUBT 0.03
#define BORDER_SIGMA 2.0

/* Floats of 0 to 1. */
static VipsImage *floats_of(VipsImage *mask, double blur)
{
    VipsImage *steps[3] = {NULL}, *memory = NULL;
    double sigma = blur > 0 ? blur : 0.01;
    if (vips_cast(mask, &steps[0], VIPS_FORMAT_FLOAT, NULL) == 0 &&
        vips_gaussblur(steps[0], &steps[1], sigma, "precision", VIPS_PRECISION_FLOAT, NULL) == 0 &&
        vips_linear1(steps[1], &steps[2], 1 / 255.0, 0, NULL) == 0)
        memory = vips_image_copy_memory(steps[2]);
    for (int i = 0; i < 3; i++)
        VIPS_UNREF(steps[i]);
    return memory;
}

VipsImage *matting_soften(const Arguments *a, const Canvas *c, VipsImage *mask, const char *name)
{
    CofReport report = {.struct_size = sizeof report};
    CofOptions options = a->options;
    CofModel *model = NULL;
    options.report = &report;
    options.window = options.filter_window = SOFT_WINDOW;
    options.iterations = SOFT_PASSES;
    VipsImage *soft = floats_of(mask, 0);
    if (!soft) {
        complain_vips(name, "cannot be softened");
        return NULL;
    }
    CofImage view = grey_view_of(soft);
    CofStatus status = lesson_model(&c->view, &options, &model);
    if (status == COF_OK)
        status = cof_filter(model, &c->view, &view, &view, &options);
    cof_model_free(&model);
    if (status == COF_OK)
        return soft;
    complain_cof(name, status, &report);
    g_object_unref(soft);
    return NULL;
}

VipsImage *matting_prior(VipsImage *mask, const char *name)
{
    VipsImage *soft = floats_of(mask, BORDER_SIGMA), *doubtful = NULL, *memory = NULL;
    if (soft && vips_linear1(soft, &doubtful, 1 - 2 * DOUBT, DOUBT, NULL) == 0)
        memory = vips_image_copy_memory(doubtful);
    VIPS_UNREF(soft);
    VIPS_UNREF(doubtful);
    if (!memory)
        complain_vips(name, "cannot be softened");
    return memory;
}

bool matting_save(VipsImage *matte, const char *name)
{
    VipsImage *wide = NULL, *bytes = NULL;
    bool ok = vips_linear1(matte, &wide, 255, 0.5, NULL) == 0 &&
              vips_cast(wide, &bytes, VIPS_FORMAT_UCHAR, NULL) == 0;
    if (ok)
        ok = picture_save(bytes, name, ".png", bytes);
    else
        complain_vips(name, "cannot be written");
    VIPS_UNREF(wide);
    VIPS_UNREF(bytes);
    return ok;
}

bool matting_can_save(const Arguments *a)
{
    return picture_exists(a->names[0]) && picture_can_save(a->names[1], a->format) &&
           (!a->matte || picture_can_save(a->matte, ".png")) &&
           (!a->compare || picture_can_save(a->compare, NULL)) &&
           (!a->save_model || path_can_appear(a->save_model, a->save_model));
}
