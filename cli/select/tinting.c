/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in another colour. */
#include "select/tinting.h"

#include "io/colour_profile.h"
#include "ui/error_line.h"

enum { COLOURS = 3 }; /* of images with a profile */

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

/* Converts tinted colours to the profile of an image, and appends its alpha, if it has any. */
static VipsImage *restore_profile(VipsImage *tinted, VipsImage *like)
{
    VipsImage *converted = profile_from_srgb(tinted, like), *alpha = NULL, *joined = NULL;
    bool has_alpha = like->Bands > COLOURS;
    if (converted && has_alpha &&
        vips_extract_band(like, &alpha, COLOURS, "n", like->Bands - COLOURS, NULL) == 0)
        vips_bandjoin2(converted, alpha, &joined, NULL);
    VipsImage *all = has_alpha ? joined : converted;
    VipsImage *memory = all ? vips_image_copy_memory(all) : NULL;
    VIPS_UNREF(converted);
    VIPS_UNREF(alpha);
    VIPS_UNREF(joined);
    return memory;
}

/* Tints the image in sRGB and converts the result to the profile of the image. Versions of libvips
 * differ in what they do to alpha. */
static VipsImage *tint_in_srgb(const LoadedImage *source, const double colour[3], VipsImage *object,
                               const CofOptions *options, const char *name)
{
    LoadedImage srgb = {0};
    VipsImage *colours = NULL, *tinted = NULL, *memory = NULL;
    if (vips_extract_band(source->original, &colours, 0, "n", COLOURS, NULL) == 0 &&
        loaded_image_from(&srgb, profile_to_srgb(colours), BANDS_AUTO, name))
        tinted = tint(&srgb, colour, object, options, name);
    loaded_image_close(&srgb);
    VIPS_UNREF(colours);
    if (!tinted)
        return NULL;
    memory = restore_profile(tinted, source->original);
    if (!memory)
        print_vips_error(name, "cannot be converted");
    g_object_unref(tinted);
    return memory;
}

VipsImage *tinted_image(const LoadedImage *source, const double colour[3], VipsImage *object,
                        const CofOptions *options, const char *name)
{
    return (profile_is_foreign(source->original) ? tint_in_srgb : tint)(source, colour, object,
                                                                        options, name);
}
