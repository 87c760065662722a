/* SPDX-License-Identifier: BSD-2-Clause */
/* cof learn: learns a model or statistics from images. */
#include "commands/commands.h"
#include "io/cof_file.h"
#include "io/image_file.h"
#include "io/paths.h"
#include "options/option_notes.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "vips/vips_call.h"
#include "vips/vips_fault.h"

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
            print_operation_error(a,
                                  &(OperationFiles){.input = a->operands[0], .inputs = a->operands},
                                  "cannot be learned from");
        const void *bytes = ok ? vips_blob_get(learned, &size) : NULL;
        ok = ok && cof_file_write(a->output, bytes, size);
        if (learned)
            vips_area_unref(VIPS_AREA(learned));
    }
    option_images_close(&images);
    vips_area_unref(VIPS_AREA(all));
    return ok;
}

/* Shows the progress of learning from image `i`. */
static void watch(const Arguments *a, VipsImage *image, int i)
{
    char *label = a->n_operands > 1
                      ? g_strdup_printf("%s (%d of %d)", a->operands[i], i + 1, a->n_operands)
                      : g_strdup(a->operands[i]);
    progress_watch_image(image, PROGRESS_LEARNING, label);
    g_free(label);
}

bool command_learn(const Arguments *a)
{
    VipsImage **inputs = g_new0(VipsImage *, (gsize)a->n_operands);
    bool ok = path_is_stream(a->output) || path_can_create(a->output, a->output);
    if (ok && a->mask && a->n_operands > 1) {
        print_error(a->mask, "a mask needs a single image to learn from");
        ok = false;
    }
    for (int i = 0; i < a->n_operands && ok; i++) {
        inputs[i] = image_file_open(a->operands[i]);
        ok = inputs[i] != NULL;
        if (ok)
            option_notes_see(a, inputs[i]);
        if (ok)
            watch(a, inputs[i], i);
    }
    ok = ok && learn(a, inputs);
    for (int i = 0; i < a->n_operands; i++)
        VIPS_UNREF(inputs[i]);
    g_free(inputs);
    return ok;
}
