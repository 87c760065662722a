/* SPDX-License-Identifier: BSD-2-Clause */
/* cof learn: learns a model or statistics from images. */
#include <string.h>

#include "commands/commands.h"
#include "io/cof_file.h"
#include "io/image_file.h"
#include "io/paths.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "vips/vips_call.h"

/* The first input whose format differs from that of input 0. */
static const char *first_mismatch(const Arguments *a, VipsImage **inputs)
{
    for (int i = 1; i < a->n_operands; i++)
        if (inputs[i]->Bands != inputs[0]->Bands || inputs[i]->BandFmt != inputs[0]->BandFmt)
            return a->operands[i];
    return a->operands[0];
}

static const char *file_at_fault(const Arguments *a, VipsImage **inputs)
{
    const char *text = vips_error_buffer();
    const char *name = strstr(text, "belong together") ? first_mismatch(a, inputs) : a->operands[0];
    if (a->mask && strstr(text, "nothing to learn"))
        name = a->mask;
    if (a->palette_from && (strstr(text, ".cof") || strstr(text, a->palette_from)))
        name = a->palette_from;
    return name;
}

static bool learn(const Arguments *a, VipsImage **inputs)
{
    OptionImages images = {0};
    VipsArrayImage *all = vips_array_image_new(inputs, a->n_operands);
    bool ok = option_images_open(&images, a, inputs[0]);
    if (ok) {
        VipsBlob *learned = NULL;
        size_t size;
        ok = call_learn(a, &images, all, &learned);
        progress_end();
        if (!ok)
            print_vips_error(file_at_fault(a, inputs), "cannot be learned from");
        const void *bytes = ok ? vips_blob_get(learned, &size) : NULL;
        ok = ok && cof_file_write(a->output, bytes, size);
        if (learned)
            vips_area_unref(VIPS_AREA(learned));
    }
    option_images_close(&images);
    vips_area_unref(VIPS_AREA(all));
    return ok;
}

bool command_learn(const Arguments *a)
{
    VipsImage **inputs = g_new0(VipsImage *, (gsize)a->n_operands);
    bool ok = path_is_stream(a->output) || path_can_create(a->output, a->output);
    if (ok && a->mask && a->n_operands > 1) {
        print_error(a->mask, "a mask needs a single picture to learn from");
        ok = false;
    }
    for (int i = 0; i < a->n_operands && ok; i++) {
        inputs[i] = image_file_open(a->operands[i]);
        ok = inputs[i] != NULL;
        if (ok)
            progress_watch_image(inputs[i], a->operands[i]);
    }
    ok = ok && learn(a, inputs);
    for (int i = 0; i < a->n_operands; i++)
        VIPS_UNREF(inputs[i]);
    g_free(inputs);
    return ok;
}
