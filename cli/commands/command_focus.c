/* SPDX-License-Identifier: BSD-2-Clause */
/* cof focus: keeps the selection and changes the background. */
#include "commands/commands.h"
#include "figures/comparison.h"
#include "io/cof_file.h"
#include "io/image_file.h"
#include "options/arguments_options.h"
#include "options/background_effect.h"
#include "select/cutout.h"
#include "select/matting.h"
#include "select/scribble_mask.h"
#include "select/tinting.h"
#include "ui/device_note.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "vips/device_check.h"
#include "vips/output_image.h"

typedef struct Focus {
    const Arguments *arguments;
    const LoadedImage *source;
    BackgroundEffect effect;
    CofModel *foreground, *background;
    VipsImage *mask, *matte;
    bool by_matte; /* smoothing needs what cof_focus_mask() does not support */
    CofOptions options;
    CofProblem problem;
    CofReport report; /* of the last call */
} Focus;

static bool print_problem(const Focus *f)
{
    const char *name = f->arguments->operands[0];
    if (f->problem.status != COF_ERR_EMPTY)
        return print_cof_problem(name, &f->problem);
    print_error(name, "the object is too small or too large to learn from");
    return false;
}

static bool learn(Focus *f)
{
    CofImage mask = single_band_view(f->mask);
    CofStatus status =
        cof_model_learn_pair(&f->foreground, &f->background, &f->source->view, &mask, &f->options);
    device_note_see(f->report.device_note, false);
    return status == COF_OK || print_problem(f);
}

/* Turns the prior of the mask into a matte. */
static bool make_matte(Focus *f)
{
    f->matte = matting_prior(f->mask, &f->options, f->arguments->operands[0]);
    VipsImage *prior = f->matte ? copy_image(f->matte) : NULL;
    if (!prior)
        return false;
    CofImage prior_view = single_band_view(prior), view = single_band_view(f->matte);
    CofStatus status =
        cof_matte(f->foreground, f->background, &prior_view, &f->source->view, &view, &f->options);
    device_note_see(f->report.device_note, false);
    g_object_unref(prior);
    return status == COF_OK || print_problem(f);
}

/* Reads the new background, which must have the size and format of the input. */
static VipsImage *read_backdrop(const Focus *f)
{
    const char *name = f->effect.file;
    LoadedImage other = {0};
    VipsImage *memory = NULL;
    if (loaded_image_open(&other, (BandsKind)f->arguments->kind, name)) {
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

/* Where less of a pixel belongs to the object, its background is smoothed. */
#define MAX_MATTE 0.95f

#define DEFAULT_ITERATIONS 5

/* Pixels of the object are not learned from and not averaged with. */
static CofStatus smooth_without_object(const Focus *f, const CofImage *out, uint8_t *valid)
{
    CofImage in = f->source->view, matte = single_band_view(f->matte);
    const float *share = matte.data;
    for (size_t i = 0; i < (size_t)in.width * (size_t)in.height; i++)
        valid[i] = share[i] < MAX_MATTE;
    in.valid = valid;
    CofOptions options = arguments_options(f->arguments, in.width, in.height);
    if (options.iterations == 0)
        options.iterations = DEFAULT_ITERATIONS;
    options.context = f->options.context;
    options.report = f->options.report;
    options.problem = f->options.problem;
    progress_watch_call(&options, PROGRESS_SMOOTHING, f->arguments->operands[0]);
    CofStatus status = cof_smooth(&in, out, &options);
    progress_end();
    device_note_see(f->report.device_note, false);
    return status == COF_OK ? cof_blend(&matte, &f->source->view, out, out, &options) : status;
}

/* As smooth_background(), with any method and on several scales. */
static CofStatus smooth_by_matte(const Focus *f, const CofImage *out)
{
    size_t pixels = (size_t)out->width * (size_t)out->height;
    uint8_t *valid = g_try_malloc(pixels);
    if (!valid) {
        *f->options.problem = (CofProblem){.status = COF_ERR_MEMORY, .text = "not enough memory"};
        return COF_ERR_MEMORY;
    }
    CofStatus status = smooth_without_object(f, out, valid);
    g_free(valid);
    return status;
}

static CofStatus smooth_background(const Focus *f, const CofImage *out)
{
    if (f->by_matte)
        return smooth_by_matte(f, out);
    CofImage mask = single_band_view(f->mask);
    CofOptions options = f->options;
    progress_watch_call(&options, PROGRESS_SMOOTHING, f->arguments->operands[0]);
    CofStatus status = cof_focus_mask(&f->source->view, &mask, out, &options);
    progress_end();
    device_note_see(f->report.device_note, false);
    return status;
}

/* The new background, or NULL on failure. */
static VipsImage *make_backdrop(const Focus *f)
{
    return f->effect.kind == BACKGROUND_IMAGE
               ? read_backdrop(f)
               : tinted_image(f->source, f->effect.colour, NULL, &f->options,
                              f->arguments->operands[0]);
}

static CofStatus composite(const Focus *f, const CofImage *out, VipsImage *backdrop)
{
    CofImage matte = single_band_view(f->matte);
    CofImage other = pixels_whole(&f->source->pixels, backdrop);
    return cof_blend(&matte, &f->source->view, &other, out, &f->options);
}

static VipsImage *apply_effect(Focus *f)
{
    CofImage view;
    VipsImage *backdrop = NULL, *out = NULL;
    if (f->effect.kind == BACKGROUND_TRANSPARENT)
        return cutout_image(f->source, f->matte, f->arguments->operands[0]);
    if (f->effect.kind != BACKGROUND_SMOOTH && !(backdrop = make_backdrop(f)))
        return NULL;
    VipsImage *memory = loaded_image_new_like(f->source, &view, f->arguments->operands[0]);
    CofStatus status = COF_OK;
    if (memory)
        status = f->effect.kind == BACKGROUND_SMOOTH ? smooth_background(f, &view)
                                                     : composite(f, &view, backdrop);
    if (status != COF_OK)
        print_problem(f);
    else if (memory)
        out = loaded_image_restore(f->source, memory, f->arguments->operands[0]);
    VIPS_UNREF(memory);
    VIPS_UNREF(backdrop);
    return out;
}

static bool save_all(const Focus *f, VipsImage *out)
{
    const Arguments *a = f->arguments;
    VipsImage *original = f->source->original;
    if (!output_image_save(a, out, a->operands[1], original, a->operands[0], true))
        return false;
    return (!a->matte || matting_save(f->matte, a->matte)) &&
           (!a->save_model || cof_file_save_model(f->background, f->foreground, a->save_model)) &&
           (!a->side_by_side ||
            comparison_save(side_by_side_image(original, out), a->side_by_side, original));
}

static bool has_colours(const Focus *f)
{
    CofKind kind = f->source->view.kind;
    bool needed = f->effect.kind == BACKGROUND_GREY || f->effect.kind == BACKGROUND_TINT;
    if (!needed || kind == COF_KIND_RGB || kind == COF_KIND_RGBA)
        return true;
    print_error(f->arguments->operands[0], "an image without colours cannot be greyed or tinted");
    return false;
}

static bool focus(Focus *f)
{
    const Arguments *a = f->arguments;
    bool needs_matte = a->matte || f->effect.kind != BACKGROUND_SMOOTH || f->by_matte;
    f->mask = selection_mask(a, f->source, a->operands[0]);
    bool ok =
        f->mask && (!(needs_matte || a->save_model) || learn(f)) && (!needs_matte || make_matte(f));
    VipsImage *out = ok ? apply_effect(f) : NULL;
    ok = out && save_all(f, out);
    VIPS_UNREF(out);
    return ok;
}

/* The arguments with options that selecting, learning and matting support. */
static Arguments arguments_of_object(const Arguments *arguments)
{
    Arguments a = *arguments;
    a.options.downscale = 1;
    a.options.filter_downscale = 0;
    a.options.update = COF_UPDATE_NONE;
    a.options.method = COF_METHOD_EXACT;
    return a;
}

bool command_focus(const Arguments *arguments)
{
    LoadedImage source = {0};
    Arguments own = arguments_of_object(arguments), *a = &own;
    Focus f = {.arguments = a,
               .source = &source,
               .effect = background_effect_parse(a->background),
               .by_matte = arguments_smooth_by_matte(a),
               .report = {.struct_size = sizeof f.report}};
    bool ok = device_open(a);
    f.options = a->options;
    f.options.problem = &f.problem;
    f.options.report = &f.report;
    ok = ok && matting_check_files(a) &&
         (f.effect.kind != BACKGROUND_TRANSPARENT || cutout_can_save(a->operands[1], a->format)) &&
         loaded_image_open_input(&source, a, a->operands[0]) && has_colours(&f) && focus(&f);
    cof_model_free(&f.foreground);
    cof_model_free(&f.background);
    VIPS_UNREF(f.mask);
    VIPS_UNREF(f.matte);
    loaded_image_close(&source);
    cof_context_free(&a->options.context);
    return ok;
}
