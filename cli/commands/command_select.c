/* SPDX-License-Identifier: BSD-2-Clause */
/* cof select: makes a mask from scribbles. */
#include "commands/commands.h"
#include "io/image_file.h"
#include "select/scribble_mask.h"
#include "ui/error_line.h"

bool command_select(const Arguments *a)
{
    LoadedImage source = {0};
    VipsImage *mask = NULL;
    bool ok = image_file_exists(a->operands[0]) && image_file_can_save(a->output, a->format) &&
              loaded_image_open_input(&source, a, a->operands[0]);
    if (ok) {
        mask = selection_mask(a, &source, a->operands[0]);
        ok = mask && image_file_save(mask, a->output, a->format ? a->format : ".png", mask);
    }
    VIPS_UNREF(mask);
    loaded_image_close(&source);
    return ok;
}
