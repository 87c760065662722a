/* SPDX-License-Identifier: BSD-2-Clause */
/* cof learn: pictures to a model, or to statistics. */
#include <string.h>

#include "complain.h"
#include "operation.h"
#include "picture.h"
#include "progress.h"
#include "subcommands.h"

static const char *culprit(const Arguments *a)
{
    const char *text = vips_error_buffer();
    const char *name = a->names[0];
    if (a->mask && strstr(text, "nothing to learn"))
        name = a->mask;
    if (a->palette_from && (strstr(text, ".cof") || strstr(text, a->palette_from)))
        name = a->palette_from;
    if (strstr(text, a->output))
        name = a->output;
    return name;
}

static bool learn(const Arguments *a, VipsImage **images)
{
    Pictures pictures = {0};
    VipsArrayImage *all = vips_array_image_new(images, a->n_names);
    bool ok = pictures_open(&pictures, a, images[0]);
    if (ok) {
        ok = operation_learn(a, &pictures, all, a->output);
        progress_end();
        if (!ok)
            complain_vips(culprit(a), "cannot be learned from");
    }
    pictures_close(&pictures);
    vips_area_unref(VIPS_AREA(all));
    return ok;
}

bool command_learn(const Arguments *a)
{
    VipsImage **images = g_new0(VipsImage *, (gsize)a->n_names);
    bool ok = true;
    if (a->mask && a->n_names > 1) {
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
