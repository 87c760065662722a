/* SPDX-License-Identifier: BSD-2-Clause */
/* Output images, written with GDAL or with libvips. */
#include "vips/output_image.h"

#include "io/image_file.h"
#include "io/paths.h"
#include "raster/raster_input.h"
#include "raster/raster_output.h"
#include "ui/error_line.h"
#include "vips/input_image.h"

bool output_image_check(const Arguments *a, const char *input, const char *output)
{
    bool ok, is_raster = raster_is_read(a, input, &ok) && raster_is_written(a, output);
    return ok && (is_raster ? raster_can_save(a, output) : image_file_can_save(output, a->format));
}

/* Formats of photographs have 8 or 16 bits without sign, and colours. libvips would clip other
 * values, and drop bands. */
static bool check_bands(const Arguments *a, VipsImage *image, const char *output, VipsImage *in)
{
    if (!raster_of_image(in) || image->Type != VIPS_INTERPRETATION_MULTIBAND ||
        image_file_holds_bands(image, output, a->format, in))
        return true;
    const char *hint = image->Bands == 3 ? ", or say --kind rgb if they are colours" : "";
    char *text =
        image->Bands > 1
            ? g_strdup_printf("this format cannot hold %d bands that are no colours; write a TIFF "
                              "file%s",
                              image->Bands, hint)
            : g_strdup("this format cannot hold signed integers or floats; write a TIFF file");
    print_error(path_is_stream(output) ? "standard output" : output, text);
    g_free(text);
    return false;
}

bool output_image_save(const Arguments *a, VipsImage *image, const char *output, VipsImage *in,
                       const char *input, bool is_filtered)
{
    if (raster_of_image(in) && raster_is_written(a, output))
        return raster_save(a, image, output, in, input,
                           is_filtered && image->Bands == in->Bands &&
                               image->BandFmt == in->BandFmt);
    if ((is_filtered && !check_bands(a, image, output, in)) ||
        !image_file_save(image, output, a->format, in))
        return false;
    note_losses(in, input, output);
    return true;
}
