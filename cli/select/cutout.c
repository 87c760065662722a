/* SPDX-License-Identifier: BSD-2-Clause */
/* Cut-outs: the object of an image on a transparent background. */
#include "select/cutout.h"

#include <string.h>

#include "io/formats.h"
#include "io/paths.h"
#include "ui/error_line.h"

bool cutout_can_save(const char *name, const char *format)
{
    static const char *const savers[] = {
        "VipsForeignSavePng",  "VipsForeignSaveSpng", "VipsForeignSaveWebp", "VipsForeignSaveTiff",
        "VipsForeignSaveHeif", "VipsForeignSaveAvif", "VipsForeignSaveJxl",  "VipsForeignSaveJp2k",
        "VipsForeignSaveCgif", "VipsForeignSaveVips"};
    bool stream = path_is_stream(name), found = stream && !format;
    const char *saver = stream ? (format ? format_saver(format) : NULL) : format_saver(name);
    for (size_t i = 0; saver && i < G_N_ELEMENTS(savers); i++)
        if (strncmp(saver, savers[i], strlen(savers[i])) == 0)
            found = true;
    if (!found)
        print_error(stream ? format : name,
                    "this format has no transparency; PNG, WebP and TIFF have");
    return found;
}

/* The value of an opaque pixel. */
static double opaque_value(const VipsImage *image)
{
    if (image->Type == VIPS_INTERPRETATION_scRGB)
        return 1;
    return image->BandFmt == VIPS_FORMAT_USHORT ? 65535 : 255;
}

/* The alpha channel in the sample type of the image. */
static int make_alpha(VipsImage *image, VipsImage *old, VipsImage *matte, VipsImage **alpha)
{
    VipsImage *steps[2] = {NULL};
    double opaque = opaque_value(image);
    bool is_integer = vips_band_format_isint(image->BandFmt);
    int failed = (old ? vips_multiply(matte, old, &steps[0], NULL)
                      : vips_linear1(matte, &steps[0], opaque, 0, NULL)) ||
                 vips_linear1(steps[0], &steps[1], 1, is_integer ? 0.5 : 0, NULL) ||
                 vips_cast(steps[1], alpha, image->BandFmt, NULL);
    VIPS_UNREF(steps[0]);
    VIPS_UNREF(steps[1]);
    return failed;
}

VipsImage *cutout_image(const LoadedImage *source, VipsImage *matte, const char *name)
{
    VipsImage *image = source->original, *colours = NULL, *old = NULL, *alpha = NULL, *out = NULL;
    CofKind kind = source->view.kind;
    bool has_alpha = kind == COF_KIND_RGBA || kind == COF_KIND_GREY_ALPHA;
    int bands = image->Bands - has_alpha;
    if (kind == COF_KIND_BANDS) {
        print_error(name, "only the background of a grey or colour image can be transparent");
        return NULL;
    }
    if (vips_extract_band(image, &colours, 0, "n", bands, NULL) != 0 ||
        (has_alpha && vips_extract_band(image, &old, bands, NULL) != 0) ||
        make_alpha(image, old, matte, &alpha) != 0 ||
        vips_bandjoin2(colours, alpha, &out, NULL) != 0)
        print_vips_error(name, "cannot be made transparent");
    VIPS_UNREF(colours);
    VIPS_UNREF(old);
    VIPS_UNREF(alpha);
    return out;
}
