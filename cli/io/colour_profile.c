/* SPDX-License-Identifier: BSD-2-Clause */
/* ICC profiles of images. */
#include "io/colour_profile.h"

#include <stdlib.h>

/* The largest difference, of 255, between sRGB and a profile that is taken for sRGB. */
#define MAX_DIFFERENCE 2

static bool has_profile(VipsImage *image)
{
    bool is_rgb = image->Type == VIPS_INTERPRETATION_sRGB ||
                  image->Type == VIPS_INTERPRETATION_RGB ||
                  image->Type == VIPS_INTERPRETATION_RGB16;
    bool has_samples = image->BandFmt == VIPS_FORMAT_UCHAR || image->BandFmt == VIPS_FORMAT_USHORT;
    return is_rgb && has_samples && image->Coding == VIPS_CODING_NONE &&
           vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0;
}

/* Gives *image, which is replaced, the profile of another image. */
static bool copy_profile(VipsImage **image, VipsImage *from)
{
    const void *bytes;
    size_t size;
    VipsImage *copy = NULL;
    if (vips_image_get_blob(from, VIPS_META_ICC_NAME, &bytes, &size) != 0 ||
        vips_copy(*image, &copy, NULL) != 0)
        return false;
    vips_image_set_blob_copy(copy, VIPS_META_ICC_NAME, bytes, size);
    g_object_unref(*image);
    *image = copy;
    return true;
}

/* Some colours in sRGB, as the profile of `image` reads them; NULL if it cannot be applied. */
static VipsImage *convert_samples(const unsigned char *samples, int n, VipsImage *image)
{
    VipsImage *raw =
        vips_image_new_from_memory_copy(samples, 3 * (size_t)n, n, 1, 3, VIPS_FORMAT_UCHAR);
    VipsImage *typed = NULL, *srgb = NULL, *memory = NULL;
    if (raw && vips_copy(raw, &typed, "interpretation", VIPS_INTERPRETATION_sRGB, NULL) == 0 &&
        copy_profile(&typed, image) &&
        vips_icc_transform(typed, &srgb, "srgb", "embedded", TRUE, NULL) == 0)
        memory = vips_image_copy_memory(srgb);
    VIPS_UNREF(raw);
    VIPS_UNREF(typed);
    VIPS_UNREF(srgb);
    return memory;
}

bool profile_is_foreign(VipsImage *image)
{
    static const unsigned char samples[] = {128, 128, 128, 40, 40, 40,  220, 60, 60,
                                            60,  220, 60,  60, 60, 220, 90,  30, 160};
    bool differs = false;
    if (!has_profile(image))
        return false;
    VipsImage *srgb = convert_samples(samples, sizeof samples / 3, image);
    for (size_t i = 0; srgb && srgb->Bands == 3 && i < sizeof samples; i++)
        if (abs(VIPS_IMAGE_ADDR(srgb, 0, 0)[i] - samples[i]) > MAX_DIFFERENCE)
            differs = true;
    if (!srgb)
        vips_error_clear();
    VIPS_UNREF(srgb);
    return differs;
}

VipsImage *profile_to_srgb(VipsImage *image)
{
    VipsImage *srgb = NULL;
    vips_icc_transform(image, &srgb, "srgb", "embedded", TRUE, "depth", 16, NULL);
    return srgb;
}

VipsImage *profile_from_srgb(VipsImage *image, VipsImage *like)
{
    VipsImage *lab = NULL, *out = NULL;
    int depth = like->BandFmt == VIPS_FORMAT_UCHAR ? 8 : 16;
    if (vips_icc_import(image, &lab, "input_profile", "srgb", NULL) == 0 &&
        copy_profile(&lab, like))
        vips_icc_export(lab, &out, "depth", depth, NULL);
    VIPS_UNREF(lab);
    return out;
}
