/* SPDX-License-Identifier: BSD-2-Clause */
/* Mattes: the fraction of each pixel that is foreground. */
#include "select/matting.h"

#include "io/image_file.h"
#include "io/paths.h"
#include "ui/error_line.h"
#include "learn_image.h"

/* The filter that softens the border of a mask. */
#define SOFTENING_WINDOW 7
#define SOFTENING_PASSES 2

/* The prior stays this far from 0 and 1, so that the models can overrule the mask, and is blurred
 * with this sigma at the border. */
#define PRIOR_UNCERTAINTY 0.03
#define BORDER_SIGMA 2.0

/* Converts a mask to floats, 0..1, blurred with a Gaussian. */
static VipsImage *to_float_matte(VipsImage *mask, double blur)
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

VipsImage *matting_soften(const Arguments *a, const LoadedImage *source, VipsImage *mask,
                          const char *name)
{
    CofReport report = {.struct_size = sizeof report};
    CofOptions options = a->options;
    CofModel *model = NULL;
    options.report = &report;
    options.window = options.filter_window = SOFTENING_WINDOW;
    options.iterations = SOFTENING_PASSES;
    VipsImage *soft = to_float_matte(mask, 0);
    if (!soft) {
        print_vips_error(name, "cannot be softened");
        return NULL;
    }
    CofImage view = single_band_view(soft);
    CofStatus status = learn_image_model(&source->view, &options, &model);
    if (status == COF_OK)
        status = cof_filter(model, &source->view, &view, &view, &options);
    cof_model_free(&model);
    if (status == COF_OK)
        return soft;
    print_cof_error(name, status, &report);
    g_object_unref(soft);
    return NULL;
}

VipsImage *matting_prior(VipsImage *mask, const char *name)
{
    VipsImage *soft = to_float_matte(mask, BORDER_SIGMA), *prior = NULL, *memory = NULL;
    if (soft && vips_linear1(soft, &prior, 1 - 2 * PRIOR_UNCERTAINTY, PRIOR_UNCERTAINTY, NULL) == 0)
        memory = vips_image_copy_memory(prior);
    VIPS_UNREF(soft);
    VIPS_UNREF(prior);
    if (!memory)
        print_vips_error(name, "cannot be softened");
    return memory;
}

bool matting_save(VipsImage *matte, const char *name)
{
    VipsImage *scaled = NULL, *bytes = NULL;
    bool ok = vips_linear1(matte, &scaled, 255, 0.5, NULL) == 0 &&
              vips_cast(scaled, &bytes, VIPS_FORMAT_UCHAR, NULL) == 0;
    if (ok)
        ok = image_file_save(bytes, name, ".png", bytes);
    else
        print_vips_error(name, "cannot be written");
    VIPS_UNREF(scaled);
    VIPS_UNREF(bytes);
    return ok;
}

bool matting_check_files(const Arguments *a)
{
    return image_file_exists(a->operands[0]) && image_file_can_save(a->operands[1], a->format) &&
           (!a->matte || image_file_can_save(a->matte, ".png")) &&
           (!a->compare || image_file_can_save(a->compare, NULL)) &&
           (!a->save_model || path_can_create(a->save_model, a->save_model));
}
