/* SPDX-License-Identifier: BSD-2-Clause */
/* cof learn: learns a model or statistics from images. */
#include "commands/commands.h"
#include "io/cof_file.h"
#include "io/paths.h"
#include "options/option_notes.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "vips/device_check.h"
#include "vips/input_image.h"
#include "vips/page_images.h"
#include "vips/vips_call.h"
#include "vips/vips_fault.h"

static bool learn(const Arguments *a, const GPtrArray *inputs, const GPtrArray *names)
{
    OptionImages images = {0};
    VipsArrayImage *all = page_images_array(inputs);
    bool ok = option_images_open(&images, a, inputs->pdata[0], a->operands[0]);
    if (ok) {
        VipsBlob *learned = NULL;
        size_t size;
        ok = call_learn(a, &images, all, &learned);
        progress_end();
        if (!ok)
            print_operation_error(a,
                                  &(OperationFiles){.input = a->operands[0],
                                                    .inputs = (char **)names->pdata,
                                                    .in = (VipsImage **)inputs->pdata,
                                                    .n_in = (int)inputs->len,
                                                    .images = &images},
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

/* Opens image `i` and appends its pages and, for each, its name. */
static bool append_pages(const Arguments *a, int i, GPtrArray *inputs, GPtrArray *names)
{
    char *name = a->operands[i];
    VipsImage *image = input_image_open(a, name);
    if (!image)
        return false;
    option_notes_see(a, image);
    watch(a, image, i);
    bool ok = page_images_append(inputs, image);
    if (!ok)
        print_vips_error(name, "cannot be read");
    while (names->len < inputs->len)
        g_ptr_array_add(names, name);
    g_object_unref(image);
    return ok;
}

bool command_learn(const Arguments *a)
{
    GPtrArray *inputs = g_ptr_array_new_with_free_func(g_object_unref), *names = g_ptr_array_new();
    bool ok =
        device_check(a) && (path_is_stream(a->output) || path_can_create(a->output, a->output));
    for (int i = 0; i < a->n_operands && ok; i++)
        ok = append_pages(a, i, inputs, names);
    if (ok && a->mask && inputs->len > 1) {
        print_error(a->mask, "a mask needs a single image to learn from");
        ok = false;
    }
    ok = ok && learn(a, inputs, names);
    g_ptr_array_free(inputs, TRUE);
    g_ptr_array_free(names, TRUE);
    return ok;
}
