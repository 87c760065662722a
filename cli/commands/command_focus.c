/* SPDX-License-Identifier: BSD-2-Clause */
/* cof focus: what was chosen stays, the background changes. */
#include "figures/comparison.h"
#include "io/image_file.h"
#include "io/model_pair.h"
#include "options/background_effect.h"
#include "select/matting.h"
#include "select/scribble_mask.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "subcommands.h"

/* Passes over the background, unless told. */
#define USUAL_PASSES 5

/* What the effect needs of the picture. */
typedef struct Focus {
    const Arguments *arguments;
    const Canvas *canvas;
    Effect effect;
    CofModel *foreground, *background;
    VipsImage *prior, *matte;
    CofOptions options;
    CofReport report;
} Focus;

static bool learn(Focus *f, VipsImage *mask)
{
    const char *name = f->arguments->names[0];
    CofImage mask_view = grey_view_of(mask);
    CofStatus status = cof_model_new_pair(&f->foreground, &f->background, &f->canvas->view,
                                          &mask_view, f->arguments->gap, &f->options);
    if (status == COF_ERR_EMPTY)
        complain(name, "too little is chosen, or too much: there is nothing to learn from");
    else if (status != COF_OK)
        complain_cof(name, status, &f->report);
    return status == COF_OK;
}

static bool make_matte(Focus *f)
{
    const char *name = f->arguments->names[0];
    CofImage prior = grey_view_of(f->prior), view;
    f->matte = image_copy_of(f->prior);
    if (!f->matte) {
        complain_vips(name, "cannot be matted");
        return false;
    }
    view = grey_view_of(f->matte);
    CofStatus status =
        cof_matte(f->foreground, f->background, &prior, &f->canvas->view, &view, &f->options);
    return status == COF_OK || complain_cof(name, status, &f->report);
}

/* Another picture, as libcof reads the first one; NULL after a complaint. */
static VipsImage *read_backdrop(const Focus *f)
{
    const char *name = f->effect.file;
    Canvas other = {0};
    VipsImage *memory = NULL;
    if (canvas_open(&other, name)) {
        const CofImage *a = &other.view, *b = &f->canvas->view;
        if (a->width != b->width || a->height != b->height)
            complain(name, "differs in size from the input");
        else if (a->kind != b->kind || a->sample != b->sample || a->channels != b->channels)
            complain(name, "differs from the input in its bands or bits");
        else
            memory = g_object_ref(other.memory);
    }
    canvas_close(&other);
    return memory;
}

static CofStatus paint(const Focus *f, const CofImage *out, VipsImage *backdrop)
{
    const CofImage *in = &f->canvas->view;
    CofImage prior = grey_view_of(f->prior), matte = grey_view_of(f->matte);
    if (f->effect.kind == EFFECT_SMOOTH) {
        CofOptions options = f->options;
        progress_follow(&options, f->arguments->names[0]);
        CofStatus status = cof_focus(f->foreground, f->background, &prior, NULL, in, out, &options);
        progress_end();
        return status;
    }
    if (backdrop) {
        CofImage other = pixels_whole(&f->canvas->pixels, backdrop);
        return cof_blend(&matte, in, &other, out, &f->options);
    }
    CofStatus status = cof_tint(in, out, f->effect.colour, 0, &f->options);
    return status == COF_OK ? cof_blend(&matte, in, out, out, &f->options) : status;
}

static VipsImage *change(Focus *f)
{
    const char *name = f->arguments->names[0];
    CofImage view;
    VipsImage *backdrop = NULL, *out = NULL;
    if (f->effect.kind == EFFECT_IMAGE && !(backdrop = read_backdrop(f)))
        return NULL;
    VipsImage *memory = canvas_like(f->canvas, &view);
    CofStatus status = memory ? paint(f, &view, backdrop) : COF_OK;
    if (status != COF_OK)
        complain_cof(name, status, &f->report);
    else if (memory)
        out = canvas_restore(f->canvas, memory, name);
    VIPS_UNREF(memory);
    VIPS_UNREF(backdrop);
    return out;
}

static bool save_all(const Focus *f, VipsImage *out)
{
    const Arguments *a = f->arguments;
    VipsImage *picture = f->canvas->picture;
    return picture_save(out, a->names[1], a->format, picture) &&
           (!a->matte || matting_save(f->matte, a->matte)) &&
           (!a->save_model || model_pair_save(f->foreground, f->background, a->save_model)) &&
           (!a->compare || sheet_save(sheet_compare(picture, out), a->compare, picture));
}

static bool has_colours(const Focus *f)
{
    CofKind kind = f->canvas->view.kind;
    bool needed = f->effect.kind == EFFECT_GREY || f->effect.kind == EFFECT_TINT;
    if (!needed || kind == COF_RGB || kind == COF_RGBA)
        return true;
    complain(f->arguments->names[0], "a picture without colours cannot be greyed or tinted");
    return false;
}

static bool focus(Focus *f)
{
    VipsImage *mask = chosen_mask(f->arguments, f->canvas, f->arguments->names[0]), *out = NULL;
    bool ok = mask != NULL && learn(f, mask);
    f->prior = ok ? matting_prior(mask, f->arguments->names[0]) : NULL;
    ok = f->prior && make_matte(f);
    out = ok ? change(f) : NULL;
    ok = out && save_all(f, out);
    VIPS_UNREF(mask);
    VIPS_UNREF(out);
    return ok;
}

bool command_focus(const Arguments *a)
{
    Canvas canvas = {0};
    Focus f = {.arguments = a,
               .canvas = &canvas,
               .effect = effect_read(a->background),
               .options = a->options,
               .report = {.struct_size = sizeof f.report}};
    f.options.report = &f.report;
    if (!is_given(a, OPT_ITERATIONS))
        f.options.iterations = USUAL_PASSES;
    bool ok =
        matting_can_save(a) && canvas_open(&canvas, a->names[0]) && has_colours(&f) && focus(&f);
    cof_model_free(&f.foreground);
    cof_model_free(&f.background);
    VIPS_UNREF(f.prior);
    VIPS_UNREF(f.matte);
    canvas_close(&canvas);
    return ok;
}
