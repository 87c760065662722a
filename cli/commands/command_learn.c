/* SPDX-License-Identifier: BSD-2-Clause */
/* cof learn: pictures to a model, or to statistics. */
#include <string.h>

#include "io/cof_file.h"
#include "io/image_file.h"
#include "io/paths.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "vips/vips_call.h"
#include "subcommands.h"

/* Of pictures that do not belong together, the first that differs from the first. */
static const char *stranger(const Arguments *a, VipsImage **images)
{
    for (int i = 1; i < a->n_names; i++)
        if (images[i]->Bands != images[0]->Bands || images[i]->BandFmt != images[0]->BandFmt)
            return a->names[i];
    return a->names[0];
}

static const char *culprit(const Arguments *a, VipsImage **images)
{
    const char *text = vips_error_buffer();
    const char *name = strstr(text, "belong together") ? stranger(a, images) : a->names[0];
    if (a->mask && strstr(text, "nothing to learn"))
        name = a->mask;
    if (a->palette_from && (strstr(text, ".cof") || strstr(text, a->palette_from)))
        name = a->palette_from;
    return name;
}

static bool learn(const Arguments *a, VipsImage **images)
{
    Pictures pictures = {0};
    VipsArrayImage *all = vips_array_image_new(images, a->n_names);
    bool ok = pictures_open(&pictures, a, images[0]);
    if (ok) {
        VipsBlob *learned = NULL;
        size_t size;
        ok = operation_learn(a, &pictures, all, &learned);
        progress_end();
        if (!ok)
            complain_vips(culprit(a, images), "cannot be learned from");
        const void *bytes = ok ? vips_blob_get(learned, &size) : NULL;
        ok = ok && cof_file_write(a->output, bytes, size);
        if (learned)
            vips_area_unref(VIPS_AREA(learned));
    }
    pictures_close(&pictures);
    vips_area_unref(VIPS_AREA(all));
    return ok;
}

bool command_learn(const Arguments *a)
{
    VipsImage **images = g_new0(VipsImage *, (gsize)a->n_names);
    bool ok = path_is_stream(a->output) || path_can_appear(a->output, a->output);
    if (ok && a->mask && a->n_names > 1) {
        complain(a->mask, "a mask needs a single picture to learn from");
        ok = false;
    }
    for (int i = 0; i < a->n_names && ok; i++) {
        images[i] = picture_open(a->names[i]);
        ok = images[i] != NULL;
        if (ok)
            progress_watch(images[i], a->names[i]);
    }
    ok = ok && learn(a, images);
    for (int i = 0; i < a->n_names; i++)
        VIPS_UNREF(images[i]);
    g_free(images);
    return ok;
}
