/* SPDX-License-Identifier: BSD-2-Clause */
/* cof select: scribbles to a mask. */
#include "io/image_file.h"
#include "select/scribble_mask.h"
#include "ui/error_line.h"
#include "subcommands.h"

bool command_select(const Arguments *a)
{
    Canvas canvas = {0};
    VipsImage *mask = NULL;
    bool ok = picture_exists(a->names[0]) && picture_can_save(a->output, a->format) &&
              canvas_open(&canvas, a->names[0]);
    if (ok) {
        mask = chosen_mask(a, &canvas, a->names[0]);
        ok = mask && picture_save(mask, a->output, a->format ? a->format : ".png", mask);
    }
    VIPS_UNREF(mask);
    canvas_close(&canvas);
    return ok;
}
