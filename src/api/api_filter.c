/* SPDX-License-Identifier: BSD-2-Clause */
/* The public entry points of filtering: check arguments, run the stages. */
#include "cof/cof.h"

#include "api/checks.h"
#include "image/image.h"
#include "options/options.h"

/* What cof_filter() and its sisters were given; then the same, complete. */
typedef struct FilterCall {
    const CofModel *model;
    const CofModel *foreground; /* stays; NULL: all is filtered */
    bool only_matte;            /* `out` is the matte */
    const CofImage *prior, *guide, *labels, *in, *out;
    const CofImage *still;   /* complete; NULL: in */
    const uint8_t *synonyms; /* of labels; NULL: none */
    bool by_labels;          /* labels must be there */
    const CofRect *part;     /* NULL: the whole image */
    CofImage prior_view, guide_view, labels_view, in_view, out_view;
} FilterCall;

CofiFilterJob cofi_filter_job(const CofOptions *options, int model_window, double model_sigma,
                              const CofImage *in, const CofImage *out, CofRect part)
{
    return (CofiFilterJob){.in = in,
                           .out = out,
                           .part = part,
                           .window = cofi_filter_window(options, model_window),
                           .iterations = options->iterations,
                           .sigma = cofi_filter_sigma(options, model_window, model_sigma),
                           .border = options->border,
                           .space = options->space,
                           .method = options->method,
                           .accuracy = options->accuracy};
}

static CofStatus complete_guide(CofiRun *run, FilterCall *call)
{
    const char *problem = NULL;
    CofStatus status = COF_OK;
    if (call->labels) {
        status = cofi_bytes_complete(call->labels, &call->in_view, &call->labels_view, &problem);
        return status == COF_OK ? status : cofi_run_fail(run, status, problem);
    }
    if (call->guide) {
        status = cofi_check_image(run, call->guide, &call->guide_view);
        if (status != COF_OK)
            return status;
        if (call->guide_view.width != call->in_view.width ||
            call->guide_view.height != call->in_view.height)
            return cofi_mismatch(run, "guide and input differ in size");
        if (!cofi_same_place(&call->guide_view, &call->in_view))
            return cofi_mismatch(run, "guide and input lie in different places");
    }
    const CofImage *source = call->guide ? &call->guide_view : &call->in_view;
    if (!cofi_palette_fits(&call->model->palette, source))
        return cofi_mismatch(run, "the image is not of the kind that the model is for");
    return COF_OK;
}

static int margin_of(const CofModel *model, const CofOptions *options)
{
    int window = cofi_filter_window(options, model->recipe.window);
    double sigma = cofi_filter_sigma(options, model->recipe.window, model->recipe.sigma);
    return options->iterations *
           cofi_filter_reach(options->method, options->accuracy, window, sigma);
}

static CofStatus check_part(CofiRun *run, const FilterCall *call, CofRect part)
{
    const CofOptions *o = &run->options;
    CofRect full = cofi_full_rect(&call->in_view);
    CofRect needed = cofi_rect_grow(part, margin_of(call->model, o), full);
    if (cofi_rect_empty(part) || !cofi_rect_holds(full, part))
        return cofi_run_fail(run, COF_ERR_ARGUMENT, "the part lies outside of the image");
    if (!cofi_rect_holds(cofi_view_rect(&call->in_view), needed))
        return cofi_run_fail(run, COF_ERR_ARGUMENT,
                             "the input does not reach far enough beyond the part");
    if (!cofi_rect_holds(cofi_view_rect(&call->out_view), part))
        return cofi_mismatch(run, "the output does not hold the part");
    CofRect out_full = cofi_full_rect(&call->out_view);
    if (out_full.width != full.width || out_full.height != full.height)
        return cofi_mismatch(run, "input and output differ in full size");
    if (o->until > 0 && (part.width != full.width || part.height != full.height))
        return cofi_run_fail(run, COF_ERR_OPTION, "until is not for parts of an image");
    return COF_OK;
}

static CofStatus check_matte(CofiRun *run, FilterCall *call)
{
    CofStatus status = cofi_check_image(run, call->in, &call->in_view);
    if (status == COF_OK)
        status = cofi_check_image(run, call->out, &call->out_view);
    if (status == COF_OK && call->out_view.kind != COF_GREY)
        status = cofi_mismatch(run, "the matte must be grey");
    return status;
}

static CofStatus check_foreground(CofiRun *run, FilterCall *call)
{
    if (call->prior) {
        CofStatus status = cofi_check_image(run, call->prior, &call->prior_view);
        if (status != COF_OK)
            return status;
        if (call->prior_view.kind != COF_GREY)
            return cofi_mismatch(run, "the prior must be grey");
        if (call->prior_view.width != call->in_view.width ||
            call->prior_view.height != call->in_view.height ||
            !cofi_same_place(&call->prior_view, &call->in_view))
            return cofi_mismatch(run, "prior and input differ in size or place");
    }
    if (call->foreground && !cofi_palette_equal(&call->foreground->palette, &call->model->palette))
        return cofi_mismatch(run, "foreground and background have different palettes");
    if (call->foreground && run->options.repeat != COF_REPEAT_FROZEN)
        return cofi_run_fail(run, COF_ERR_OPTION, "a foreground needs labels that are frozen");
    return COF_OK;
}

static CofStatus check_repeat(CofiRun *run, const FilterCall *call)
{
    CofRepeat repeat = run->options.repeat;
    if (repeat == COF_REPEAT_ROLLING)
        return cofi_run_fail(run, COF_ERR_OPTION, "rolling is for cof_smooth() only");
    if (repeat == COF_REPEAT_RELABEL && (call->guide || call->labels))
        return cofi_run_fail(run, COF_ERR_OPTION, "relabel does not go with a guide or labels");
    return COF_OK;
}

void cofi_report_pass(CofiRun *run, double change)
{
    CofReport *report = run->options.report;
    if (!report)
        return;
    if (report->passes < (int)(sizeof report->change / sizeof report->change[0]))
        report->change[report->passes] = change;
    report->passes++;
}

bool cofi_is_still(const CofiRun *run, double change)
{
    return change < run->options.until;
}

/* Labels are there; all passes with one model. */
CofStatus cofi_run_passes(CofiRun *run, CofiFilter *filter, const CofModel *model)
{
    int passes = filter->job.iterations;
    for (int pass = 0; pass < passes; pass++) {
        double change;
        CofStatus status = COF_OK;
        if (pass > 0 && run->options.repeat == COF_REPEAT_RELABEL)
            status = cofi_filter_relabel(filter, &model->palette);
        if (status == COF_OK)
            status = cofi_filter_pass(filter, model, passes - 1 - pass, &change);
        if (status != COF_OK)
            return status;
        cofi_report_pass(run, change);
        if (cofi_is_still(run, change))
            break;
    }
    return COF_OK;
}

static CofStatus filter_with(CofiRun *run, const FilterCall *call, CofRect part)
{
    const CofiRecipe *recipe = &call->model->recipe;
    CofiFilterJob job = cofi_filter_job(&run->options, recipe->window, recipe->sigma,
                                        &call->in_view, &call->out_view, part);
    job.guide = call->labels ? &call->labels_view : call->guide ? &call->guide_view : NULL;
    job.still = call->still;
    if (call->foreground)
        job.sigma = cofi_box_sigma(&run->options);
    CofiFilter filter;
    CofStatus status = cofi_filter_open(&filter, run, &job);
    if (status == COF_OK)
        status = call->labels ? cofi_filter_label_given(&filter, call->model->palette.k)
                              : cofi_filter_label(&filter, &call->model->palette);
    if (status == COF_OK && call->synonyms)
        status = cofi_filter_rename(&filter, call->synonyms);
    if (status == COF_OK && call->foreground)
        status = cofi_filter_matte(&filter, call->foreground, call->model,
                                   call->prior ? &call->prior_view : NULL, run->options.evidence);
    if (status == COF_OK && !call->only_matte)
        status = cofi_run_passes(run, &filter, call->model);
    if (status != COF_OK)
        return status;
    if (call->only_matte)
        cofi_filter_store_matte(&filter);
    else
        cofi_filter_store(&filter);
    return COF_OK;
}

CofStatus cofi_filter_pictures(CofiRun *run, const CofModel *model, const CofiFiltered *pictures)
{
    FilterCall call = {.model = model,
                       .guide = pictures->guide,
                       .still = pictures->still,
                       .synonyms = pictures->synonyms,
                       .in_view = *pictures->in,
                       .out_view = *pictures->out};
    if (pictures->guide)
        call.guide_view = *pictures->guide;
    return filter_with(run, &call, cofi_full_rect(pictures->in));
}

/* Storing, and the passes with their labels. */
static double passes_units(const CofOptions *options, int passes)
{
    bool once = options->repeat == COF_REPEAT_FROZEN;
    return 1 + COFI_PASS_UNITS * passes + (once ? 1 : passes);
}

double cofi_filter_units(const CofOptions *options)
{
    if (options->coarse == 1)
        return passes_units(options, options->iterations);
    double reducing = 1, enlarging = 1, fewer = (double)options->coarse * options->coarse;
    return reducing + passes_units(options, options->iterations - 1) / fewer + enlarging +
           passes_units(options, 1);
}

static CofStatus check_coarse(CofiRun *run, const FilterCall *call, CofRect part)
{
    CofRect full = cofi_full_rect(&call->in_view);
    if (call->labels || call->foreground)
        return cofi_check_coarse(run, "coarse goes with neither labels nor a foreground");
    if (part.width != full.width || part.height != full.height)
        return cofi_check_coarse(run, "coarse is not for parts of an image");
    return COF_OK;
}

static CofStatus filter_checked(CofiRun *run, const FilterCall *call, CofRect part)
{
    CofStatus status = check_coarse(run, call, part);
    if (status != COF_OK || run->options.coarse == 1)
        return status != COF_OK ? status : filter_with(run, call, part);
    CofiFiltered pictures = {.guide = call->guide ? &call->guide_view : NULL,
                             .in = &call->in_view,
                             .out = &call->out_view};
    return cofi_filter_coarsely(run, call->model, &pictures, NULL);
}

static CofStatus filter_call(FilterCall call, const CofOptions *options)
{
    CofiRun run;
    CofStatus status = cofi_enter(&run, options, call.model && (call.labels || !call.by_labels),
                                  "the model is NULL, or the labels are");
    if (status != COF_OK)
        return status;
    if (call.foreground)
        run.options.method = COF_METHOD_EXACT;
    if (call.only_matte)
        run.options.iterations = 1;
    cofi_run_expect(&run, cofi_filter_units(&run.options) +
                              (call.foreground && !call.only_matte ? COFI_PASS_UNITS : 0));
    status = call.only_matte
                 ? check_matte(&run, &call)
                 : cofi_check_pair(&run, call.in, call.out, &call.in_view, &call.out_view);
    if (status == COF_OK)
        status = complete_guide(&run, &call);
    if (status == COF_OK)
        status = check_repeat(&run, &call);
    if (status == COF_OK)
        status = check_foreground(&run, &call);
    CofRect part = {0};
    if (status == COF_OK) {
        part = call.part ? *call.part : cofi_full_rect(&call.in_view);
        status = check_part(&run, &call, part);
    }
    if (status == COF_OK)
        status = filter_checked(&run, &call, part);
    return cofi_run_end(&run, status);
}

CofStatus cof_filter(const CofModel *model, const CofImage *guide, const CofImage *in,
                     const CofImage *out, const CofOptions *options)
{
    return filter_call((FilterCall){.model = model, .guide = guide, .in = in, .out = out}, options);
}

CofStatus cof_filter_part(const CofModel *model, const CofImage *guide, const CofImage *in,
                          const CofImage *out, CofRect part, const CofOptions *options)
{
    FilterCall call = {.model = model, .guide = guide, .in = in, .out = out, .part = &part};
    return filter_call(call, options);
}

CofStatus cof_filter_labels(const CofModel *model, const CofImage *labels, const CofImage *in,
                            const CofImage *out, const CofOptions *options)
{
    FilterCall call = {.model = model, .labels = labels, .by_labels = true, .in = in, .out = out};
    return filter_call(call, options);
}

CofStatus cof_filter_labels_part(const CofModel *model, const CofImage *labels, const CofImage *in,
                                 const CofImage *out, CofRect part, const CofOptions *options)
{
    FilterCall call = {
        .model = model, .labels = labels, .by_labels = true, .in = in, .out = out, .part = &part};
    return filter_call(call, options);
}

/* Both models must be there. */
static CofStatus focus_call(FilterCall call, const CofOptions *options)
{
    if (!call.foreground)
        call.model = NULL;
    return filter_call(call, options);
}

CofStatus cof_focus(const CofModel *foreground, const CofModel *background, const CofImage *prior,
                    const CofImage *guide, const CofImage *in, const CofImage *out,
                    const CofOptions *options)
{
    FilterCall call = {.model = background,
                       .foreground = foreground,
                       .prior = prior,
                       .guide = guide,
                       .in = in,
                       .out = out};
    return focus_call(call, options);
}

CofStatus cof_focus_part(const CofModel *foreground, const CofModel *background,
                         const CofImage *prior, const CofImage *guide, const CofImage *in,
                         const CofImage *out, CofRect part, const CofOptions *options)
{
    FilterCall call = {.model = background,
                       .foreground = foreground,
                       .prior = prior,
                       .guide = guide,
                       .in = in,
                       .out = out,
                       .part = &part};
    return focus_call(call, options);
}

CofStatus cof_matte(const CofModel *foreground, const CofModel *background, const CofImage *prior,
                    const CofImage *image, const CofImage *matte, const CofOptions *options)
{
    FilterCall call = {.model = background,
                       .foreground = foreground,
                       .only_matte = true,
                       .prior = prior,
                       .in = image,
                       .out = matte};
    return focus_call(call, options);
}

CofStatus cof_matte_part(const CofModel *foreground, const CofModel *background,
                         const CofImage *prior, const CofImage *image, const CofImage *matte,
                         CofRect part, const CofOptions *options)
{
    FilterCall call = {.model = background,
                       .foreground = foreground,
                       .only_matte = true,
                       .prior = prior,
                       .in = image,
                       .out = matte,
                       .part = &part};
    return focus_call(call, options);
}

int cof_margin(const CofModel *model, const CofOptions *options)
{
    if (!model)
        return COF_ERR_ARGUMENT;
    CofOptions complete;
    const char *problem;
    CofStatus status = cofi_options_complete(options, &complete, &problem);
    if (status != COF_OK)
        return status;
    return complete.coarse == 1 ? margin_of(model, &complete) : COF_ERR_OPTION;
}
