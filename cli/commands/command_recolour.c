/* SPDX-License-Identifier: BSD-2-Clause */
/* cof recolour: what was chosen gets another colour. */
#include "figures/comparison.h"
#include "io/image_file.h"
#include "options/background_effect.h"
#include "select/matting.h"
#include "select/scribble_mask.h"
#include "ui/error_line.h"
#include "subcommands.h"

/* The chosen in its new colour, the rest as it was. */
static VipsImage *recolour(const Arguments *a, const Canvas *c, VipsImage *mask, VipsImage *matte)
{
    const char *name = a->names[0];
    CofReport report = {.struct_size = sizeof report};
    CofOptions options = a->options;
    options.report = &report;
    double colour[3], chroma = 0;
    effect_colour(a->to, colour);
    CofImage painted, mask_view = grey_view_of(mask), matte_view = grey_view_of(matte);
    VipsImage *memory = canvas_like(c, &painted), *out = NULL;
    if (!memory)
        return NULL;
    CofStatus status = cof_mean_chroma(&c->view, &mask_view, &chroma, &options);
    if (status == COF_OK)
        status = cof_tint(&c->view, &painted, colour, chroma, &options);
    if (status == COF_OK)
        status = cof_blend(&matte_view, &painted, &c->view, &painted, &options);
    if (status == COF_OK)
        out = canvas_restore(c, memory, name);
    else
        complain_cof(name, status, &report);
    g_object_unref(memory);
    return out;
}

static bool save_all(const Arguments *a, const Canvas *c, VipsImage *out, VipsImage *matte)
{
    return picture_save(out, a->names[1], a->format, c->picture) &&
           (!a->matte || matting_save(matte, a->matte)) &&
           (!a->compare || sheet_save(sheet_compare(c->picture, out), a->compare, c->picture));
}

bool command_recolour(const Arguments *a)
{
    Canvas canvas = {0};
    VipsImage *mask = NULL, *matte = NULL, *out = NULL;
    bool ok = matting_can_save(a) && canvas_open(&canvas, a->names[0]);
    if (ok && canvas.view.kind != COF_RGB && canvas.view.kind != COF_RGBA) {
        complain(a->names[0], "a picture without colours cannot be recoloured");
        ok = false;
    }
    if (ok) {
        mask = chosen_mask(a, &canvas, a->names[0]);
        matte = mask ? matting_soften(a, &canvas, mask, a->names[0]) : NULL;
        out = matte ? recolour(a, &canvas, mask, matte) : NULL;
        ok = out && save_all(a, &canvas, out, matte);
    }
    VIPS_UNREF(mask);
    VIPS_UNREF(matte);
    VIPS_UNREF(out);
    canvas_close(&canvas);
    return ok;
}
