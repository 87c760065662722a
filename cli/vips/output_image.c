/* SPDX-License-Identifier: BSD-2-Clause */
/* Output images, written with GDAL or with libvips. */
#include "vips/output_image.h"

#include "io/image_file.h"
#include "io/paths.h"
#include "raster/raster_input.h"
#include "raster/raster_module.h"
#include "raster/raster_output.h"
#include "ui/error_line.h"
#include "vips/input_image.h"

bool output_image_check(const Arguments *a, const char *input, const char *output)
{
    bool ok, is_raster = raster_is_read(a, input, &ok) && raster_is_written(a, output);
    return ok && (is_raster ? raster_can_save(a, output) : image_file_can_save(output, a->format));
}

/* Why a raster cannot be written with libvips, whose formats have 8 or 16 bits without sign, and
 * colours: it would clip other values, drop bands, and make 12 bits dark. NULL: it can. To be
 * freed. */
static char *why_not(const Arguments *a, VipsImage *image, const char *output, VipsImage *in)
{
    RasterFacts facts = raster_module()->facts(raster_of_image(in));
    int bits = facts.bits;
    if (facts.is_premultiplied)
        return g_strdup(
            "this format cannot hold colours that are multiplied by alpha; write a TIFF "
            "file");
    if (bits > 8 && bits < 16 && !image_file_holds(image, false, output, a->format, in))
        return g_strdup_printf("this format cannot hold samples of %d bits; write a TIFF file",
                               bits);
    if (image->Type != VIPS_INTERPRETATION_MULTIBAND ||
        image_file_holds(image, true, output, a->format, in))
        return NULL;
    if (image->Bands == 1)
        return g_strdup("this format cannot hold signed integers or floats; write a TIFF file");
    return g_strdup_printf(
        "this format cannot hold %d bands that are no colours; write a TIFF file%s", image->Bands,
        image->Bands == 3 ? ", or say --kind rgb if they are colours" : "");
}

static bool check_raster(const Arguments *a, VipsImage *image, const char *output, VipsImage *in)
{
    char *text = raster_of_image(in) ? why_not(a, image, output, in) : NULL;
    bool ok = !text;
    if (text)
        print_error(path_is_stream(output) ? "standard output" : output, text);
    g_free(text);
    return ok;
}

bool output_image_save(const Arguments *a, VipsImage *image, const char *output, VipsImage *in,
                       const char *input, bool is_filtered)
{
    if (raster_of_image(in) && raster_is_written(a, output))
        return raster_save(a, image, output, in, input,
                           is_filtered && image->Bands == in->Bands &&
                               image->BandFmt == in->BandFmt);
    if ((is_filtered && !check_raster(a, image, output, in)) ||
        !image_file_save(image, output, a->format, in))
        return false;
    note_losses(in, input, output);
    return true;
}
