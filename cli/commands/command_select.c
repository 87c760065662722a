/* SPDX-License-Identifier: BSD-2-Clause */
/* cof select: makes a mask from scribbles. */
#include "commands/commands.h"
#include "io/image_file.h"
#include "raster/raster_input.h"
#include "select/scribble_mask.h"
#include "ui/error_line.h"
#include "vips/device_check.h"
#include "vips/input_image.h"
#include "vips/output_image.h"

/* The mask of a raster has its position. */
static bool save(const Arguments *a, VipsImage *mask, VipsImage *original)
{
    if (raster_of_image(original))
        return output_image_save(a, mask, a->output, original, a->operands[0], false);
    return image_file_save(mask, a->output, a->format ? a->format : ".png", mask);
}

bool command_select(const Arguments *arguments)
{
    Arguments own = *arguments, *a = &own;
    LoadedImage source = {0};
    VipsImage *mask = NULL;
    bool ok = device_open(a) && input_exists(a->operands[0]) &&
              output_image_check(a, a->operands[0], a->output) &&
              loaded_image_open_input(&source, a, a->operands[0]);
    if (ok) {
        mask = selection_mask(a, &source, a->operands[0]);
        ok = mask && save(a, mask, source.original);
    }
    VIPS_UNREF(mask);
    loaded_image_close(&source);
    cof_context_free(&own.options.context);
    return ok;
}
