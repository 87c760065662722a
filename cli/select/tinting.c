/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in another colour. */
#include "select/tinting.h"

#include "io/colour_profile.h"
#include "ui/error_line.h"

/* Tints the image, which is sRGB or taken for sRGB. */
static VipsImage *tint(const LoadedImage *image, const double colour[3], VipsImage *object,
                       const CofOptions *options, const char *name)
{
    CofProblem problem;
    CofOptions own = *options;
    own.problem = &problem;
    CofImage out, mask = object ? single_band_view(object) : (CofImage){0};
    VipsImage *memory = loaded_image_new_like(image, &out, name);
    if (!memory)
        return NULL;
    double chroma = 0;
    CofStatus status = COF_OK;
    if (object)
        status = cof_mean_chroma(&image->view, &mask, &chroma, &own);
    if (status == COF_OK)
        status = cof_tint(&image->view, colour, chroma, &out, &own);
    if (status == COF_OK)
        return memory;
    print_cof_problem(name, &problem);
    g_object_unref(memory);
    return NULL;
}

/* Tints the image in sRGB and converts the result to the profile of the image. */
static VipsImage *tint_in_srgb(const LoadedImage *source, const double colour[3], VipsImage *object,
                               const CofOptions *options, const char *name)
{
    LoadedImage srgb = {0};
    VipsImage *tinted = NULL, *converted = NULL, *memory = NULL;
    if (loaded_image_from(&srgb, profile_to_srgb(source->original), BANDS_AUTO, name))
        tinted = tint(&srgb, colour, object, options, name);
    loaded_image_close(&srgb);
    if (!tinted)
        return NULL;
    converted = profile_from_srgb(tinted, source->original);
    if (converted)
        memory = vips_image_copy_memory(converted);
    if (!memory)
        print_vips_error(name, "cannot be converted");
    g_object_unref(tinted);
    VIPS_UNREF(converted);
    return memory;
}

VipsImage *tinted_image(const LoadedImage *source, const double colour[3], VipsImage *object,
                        const CofOptions *options, const char *name)
{
    return (profile_is_foreign(source->original) ? tint_in_srgb : tint)(source, colour, object,
                                                                        options, name);
}
