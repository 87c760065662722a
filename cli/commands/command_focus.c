/* SPDX-License-Identifier: BSD-2-Clause */
/* cof focus: keeps the selection and changes the background. */
#include "commands/commands.h"
#include "figures/comparison.h"
#include "io/image_file.h"
#include "io/model_pair.h"
#include "options/background_effect.h"
#include "select/matting.h"
#include "select/scribble_mask.h"
#include "ui/error_line.h"
#include "ui/progress.h"

#define DEFAULT_PASSES 5

typedef struct Focus {
    const Arguments *arguments;
    const LoadedImage *source;
    BackgroundEffect effect;
    CofModel *foreground, *background;
    VipsImage *prior, *matte;
    CofOptions options;
    CofReport report;
} Focus;

static bool learn(Focus *f, VipsImage *mask)
{
    const char *name = f->arguments->operands[0];
    CofImage mask_view = single_band_view(mask);
    CofStatus status = cof_model_learn_pair(&f->foreground, &f->background, &f->source->view,
                                            &mask_view, f->arguments->gap, &f->options);
    if (status == COF_ERR_EMPTY)
        print_error(name, "too little is chosen, or too much: there is nothing to learn from");
    else if (status != COF_OK)
        print_cof_error(name, status, &f->report);
    return status == COF_OK;
}

static bool make_matte(Focus *f)
{
    const char *name = f->arguments->operands[0];
    CofImage prior = single_band_view(f->prior), view;
    f->matte = copy_image(f->prior);
    if (!f->matte) {
        print_vips_error(name, "cannot be matted");
        return false;
    }
    view = single_band_view(f->matte);
    CofStatus status =
        cof_matte(f->foreground, f->background, &prior, &f->source->view, &view, &f->options);
    return status == COF_OK || print_cof_error(name, status, &f->report);
}

/* Reads the new background, which must have the size and format of the input. */
static VipsImage *read_backdrop(const Focus *f)
{
    const char *name = f->effect.file;
    LoadedImage other = {0};
    VipsImage *memory = NULL;
    if (loaded_image_open(&other, name)) {
        const CofImage *a = &other.view, *b = &f->source->view;
        if (a->width != b->width || a->height != b->height)
            print_error(name, "differs in size from the input");
        else if (a->kind != b->kind || a->sample != b->sample || a->channels != b->channels)
            print_error(name, "differs from the input in its bands or bits");
        else
            memory = g_object_ref(other.memory);
    }
    loaded_image_close(&other);
    return memory;
}

static CofStatus composite(const Focus *f, const CofImage *out, VipsImage *backdrop)
{
    const CofImage *in = &f->source->view;
    CofImage prior = single_band_view(f->prior), matte = single_band_view(f->matte);
    if (f->effect.kind == BACKGROUND_SMOOTH) {
        CofOptions options = f->options;
        progress_watch_call(&options, f->arguments->operands[0]);
        CofStatus status = cof_focus(f->foreground, f->background, &prior, NULL, in, out, &options);
        progress_end();
        return status;
    }
    if (backdrop) {
        CofImage other = pixels_whole(&f->source->pixels, backdrop);
        return cof_blend(&matte, in, &other, out, &f->options);
    }
    CofStatus status = cof_tint(in, out, f->effect.colour, 0, &f->options);
    return status == COF_OK ? cof_blend(&matte, in, out, out, &f->options) : status;
}

static VipsImage *apply_effect(Focus *f)
{
    const char *name = f->arguments->operands[0];
    CofImage view;
    VipsImage *backdrop = NULL, *out = NULL;
    if (f->effect.kind == BACKGROUND_IMAGE && !(backdrop = read_backdrop(f)))
        return NULL;
    VipsImage *memory = loaded_image_new_like(f->source, &view);
    CofStatus status = memory ? composite(f, &view, backdrop) : COF_OK;
    if (status != COF_OK)
        print_cof_error(name, status, &f->report);
    else if (memory)
        out = loaded_image_restore(f->source, memory, name);
    VIPS_UNREF(memory);
    VIPS_UNREF(backdrop);
    return out;
}

static bool save_all(const Focus *f, VipsImage *out)
{
    const Arguments *a = f->arguments;
    VipsImage *original = f->source->original;
    return image_file_save(out, a->operands[1], a->format, original) &&
           (!a->matte || matting_save(f->matte, a->matte)) &&
           (!a->save_model || model_pair_save(f->foreground, f->background, a->save_model)) &&
           (!a->compare ||
            comparison_save(side_by_side_image(original, out), a->compare, original));
}

static bool has_colours(const Focus *f)
{
    CofKind kind = f->source->view.kind;
    bool needed = f->effect.kind == BACKGROUND_GREY || f->effect.kind == BACKGROUND_TINT;
    if (!needed || kind == COF_KIND_RGB || kind == COF_KIND_RGBA)
        return true;
    print_error(f->arguments->operands[0], "a picture without colours cannot be greyed or tinted");
    return false;
}

static bool focus(Focus *f)
{
    VipsImage *mask = selection_mask(f->arguments, f->source, f->arguments->operands[0]),
              *out = NULL;
    bool ok = mask != NULL && learn(f, mask);
    f->prior = ok ? matting_prior(mask, f->arguments->operands[0]) : NULL;
    ok = f->prior && make_matte(f);
    out = ok ? apply_effect(f) : NULL;
    ok = out && save_all(f, out);
    VIPS_UNREF(mask);
    VIPS_UNREF(out);
    return ok;
}

bool command_focus(const Arguments *a)
{
    LoadedImage source = {0};
    Focus f = {.arguments = a,
               .source = &source,
               .effect = background_effect_parse(a->background),
               .options = a->options,
               .report = {.struct_size = sizeof f.report}};
    f.options.report = &f.report;
    if (!option_set(a, OPT_ITERATIONS))
        f.options.iterations = DEFAULT_PASSES;
    bool ok = matting_check_files(a) && loaded_image_open(&source, a->operands[0]) &&
              has_colours(&f) && focus(&f);
    cof_model_free(&f.foreground);
    cof_model_free(&f.background);
    VIPS_UNREF(f.prior);
    VIPS_UNREF(f.matte);
    loaded_image_close(&source);
    return ok;
}
