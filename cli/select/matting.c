/* SPDX-License-Identifier: BSD-2-Clause */
/* Mattes: the fraction of each pixel that is foreground. */
#include "select/matting.h"

#include "io/image_file.h"
#include "io/paths.h"
#include "ui/error_line.h"

/* The filter that softens the border of a mask. */
#define SOFTENING_WINDOW 7
#define SOFTENING_ITERATIONS 2

/* Converts a mask to floats, 0..1. */
static VipsImage *to_float_matte(VipsImage *mask)
{
    VipsImage *floats = NULL, *scaled = NULL, *memory = NULL;
    if (vips_cast(mask, &floats, VIPS_FORMAT_FLOAT, NULL) == 0 &&
        vips_linear1(floats, &scaled, 1 / 255.0, 0, NULL) == 0)
        memory = vips_image_copy_memory(scaled);
    VIPS_UNREF(floats);
    VIPS_UNREF(scaled);
    return memory;
}

VipsImage *matting_soften(const Arguments *a, const LoadedImage *source, VipsImage *mask,
                          const char *name)
{
    CofProblem problem;
    CofOptions options = a->options;
    CofModel *model = NULL;
    options.problem = &problem;
    options.window = options.filter_window = SOFTENING_WINDOW;
    options.iterations = SOFTENING_ITERATIONS;
    VipsImage *soft = to_float_matte(mask);
    if (!soft) {
        print_vips_error(name, "cannot be softened");
        return NULL;
    }
    CofImage view = single_band_view(soft);
    CofStatus status = cof_model_learn(&model, &source->view, NULL, 1, &options);
    if (status == COF_OK)
        status = cof_filter(model, &source->view, &view, &view, &options);
    cof_model_free(&model);
    if (status == COF_OK)
        return soft;
    print_cof_problem(name, &problem);
    g_object_unref(soft);
    return NULL;
}

VipsImage *matting_prior(VipsImage *mask, const CofOptions *options, const char *name)
{
    CofProblem problem;
    CofOptions own = *options;
    VipsImage *prior = to_float_matte(mask);
    if (!prior) {
        print_vips_error(name, "cannot be softened");
        return NULL;
    }
    own.problem = &problem;
    CofImage mask_view = single_band_view(mask), view = single_band_view(prior);
    if (cof_mask_prior(&mask_view, &view, &own) == COF_OK)
        return prior;
    print_cof_problem(name, &problem);
    g_object_unref(prior);
    return NULL;
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
           (!a->side_by_side || image_file_can_save(a->side_by_side, NULL)) &&
           (!a->save_model || path_can_create(a->save_model, a->save_model));
}
