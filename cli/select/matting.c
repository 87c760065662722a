/* SPDX-License-Identifier: BSD-2-Clause */
/* Mattes: the fraction of each pixel that is foreground. */
#include "select/matting.h"

#include "io/image_file.h"
#include "io/paths.h"
#include "ui/error_line.h"
#include "vips/input_image.h"
#include "vips/output_image.h"

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

VipsImage *matting_new(const LoadedImage *source, const char *name)
{
    VipsImage *black = NULL, *floats = NULL, *memory = NULL;
    if (vips_black(&black, source->view.width, source->view.height, NULL) == 0 &&
        vips_cast(black, &floats, VIPS_FORMAT_FLOAT, NULL) == 0)
        memory = copy_image(floats);
    VIPS_UNREF(black);
    VIPS_UNREF(floats);
    if (!memory)
        print_vips_error(name, "not enough memory");
    return memory;
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
    return input_exists(a->operands[0]) && output_image_check(a, a->operands[0], a->operands[1]) &&
           (!a->matte || image_file_can_save(a->matte, ".png")) &&
           (!a->side_by_side || image_file_can_save(a->side_by_side, NULL)) &&
           (!a->save_model || path_can_create(a->save_model, a->save_model));
}
