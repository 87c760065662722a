/* SPDX-License-Identifier: BSD-2-Clause */
/* The public entry points: check arguments, run the stages. */
#include "cof/cof.h"

#include <string.h>

#include "filter.h"
#include "image.h"
#include "labels.h"
#include "memory.h"
#include "model.h"
#include "options.h"
#include "run.h"
#include "stats.h"

static CofStatus complete_image(CofiRun *run, const CofImage *image, CofImage *complete)
{
    const char *problem = cofi_image_complete(image, complete);
    return problem ? cofi_run_fail(run, COF_ERR_ARGUMENT, problem) : COF_OK;
}

static CofStatus complete_where(CofiRun *run, const CofWhere *where, const CofImage *image,
                                CofRect part, CofiWhere *complete)
{
    const char *problem = NULL;
    CofStatus status = cofi_where_complete(where, image, part, complete, &problem);
    return status == COF_OK ? status : cofi_run_fail(run, status, problem);
}

static CofStatus mismatch(CofiRun *run, const char *problem)
{
    return cofi_run_fail(run, COF_ERR_MISMATCH, problem);
}

static CofStatus scan(CofiRun *run, CofStats *stats, const CofImage *image, const CofWhere *where)
{
    CofiWhere complete;
    CofStatus status = complete_where(run, where, image, cofi_view_rect(image), &complete);
    if (status != COF_OK)
        return status;
    cofi_run_stage(run, COF_STAGE_PALETTE);
    status = cofi_scan_image(stats, run, image, &complete);
    if (status == COF_ERR_MISMATCH)
        return mismatch(run, "an image differs in kind from those scanned before");
    return status;
}

CofStatus cof_stats_scan(CofStats *stats, const CofImage *image, const CofWhere *where,
                         const CofOptions *options)
{
    if (!stats || !image || stats->settled)
        return COF_ERR_ARGUMENT;
    CofiRun run;
    CofImage view;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    cofi_run_expect(&run, 1);
    status = complete_image(&run, image, &view);
    if (status == COF_OK)
        status = scan(&run, stats, &view, where);
    return cofi_run_end(&run, status);
}

CofStatus cof_stats_settle(CofStats *stats, const CofOptions *options)
{
    if (!stats || stats->settled)
        return COF_ERR_ARGUMENT;
    CofiRun run;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    cofi_run_stage(&run, COF_STAGE_PALETTE);
    return cofi_run_end(&run, cofi_scan_settle(stats, &run));
}

/* A palette that did not come from the scans: they leave nothing but the rate. */
static CofStatus settle_given(CofStats *stats, CofiPalette *palette, CofStatus made)
{
    CofStatus status = made == COF_OK ? cofi_stats_settle_with(stats, palette) : made;
    if (status != COF_OK) {
        cofi_palette_free(palette);
        return status;
    }
    stats->rate = cofi_sampling_rate(stats);
    cofi_scan_free(&stats->scan);
    return COF_OK;
}

CofStatus cof_stats_settle_palette(CofStats *stats, const float *centres, int k, int bands,
                                   CofKind kind)
{
    if (!stats || stats->settled || !centres || k < 1 || k > COF_MAX_COLOURS)
        return COF_ERR_ARGUMENT;
    CofKind family = cofi_family(kind);
    bool fits = kind == COF_BANDS ? bands >= 1 && bands <= COF_MAX_BANDS
                                  : (unsigned)kind < COF_BANDS && bands == (int)family + 1;
    if (!fits)
        return COF_ERR_ARGUMENT;
    for (int i = 0; i < k * bands; i++)
        if (!(centres[i] - centres[i] == 0)) /* not finite */
            return COF_ERR_ARGUMENT;
    CofiPalette palette;
    CofStatus status = cofi_palette_given(&palette, family, bands, k, centres);
    return settle_given(stats, &palette, status);
}

CofStatus cof_stats_settle_labels(CofStats *stats, int k)
{
    if (!stats || stats->settled || k < 1 || k > COF_MAX_COLOURS)
        return COF_ERR_ARGUMENT;
    CofiPalette palette;
    return settle_given(stats, &palette, cofi_palette_labels(&palette, k));
}

/* Does a view hold the first pixels and all their neighbours? */
static bool holds_neighbours(const CofImage *view, const CofiWhere *where, int radius)
{
    if (cofi_rect_empty(where->firsts))
        return true;
    CofRect needed = cofi_rect_grow(where->firsts, radius, where->region);
    return cofi_rect_holds(cofi_view_rect(view), needed);
}

static CofStatus count(CofiRun *run, CofStats *stats, const CofImage *view, const CofiLabelMap *map,
                       const CofiWhere *where)
{
    CofRect firsts = where->firsts;
    bool all = cofi_rect_holds(firsts, cofi_rect_intersect(where->region, cofi_view_rect(view)));
    firsts.x -= view->x;
    firsts.y -= view->y;
    cofi_run_stage(run, COF_STAGE_COUNT);
    return cofi_count(stats, run, map, view->x, view->y, firsts, all);
}

/* image and labels: one of them is NULL, both are complete. */
static CofStatus add(CofiRun *run, CofStats *stats, const CofImage *image, const CofImage *labels,
                     const CofWhere *where)
{
    const CofImage *view = image ? image : labels;
    int radius = cofi_learning_radius(stats);
    CofiWhere complete;
    CofStatus status = complete_where(run, where, view, cofi_full_rect(view), &complete);
    if (status != COF_OK)
        return status;
    if (!holds_neighbours(view, &complete, radius))
        return cofi_run_fail(run, COF_ERR_ARGUMENT,
                             "a view must reach half the window beyond its part");
    if (cofi_rect_empty(complete.firsts))
        return COF_OK;
    cofi_run_stage(run, COF_STAGE_LABELS);
    CofiLabelMap map;
    status = cofi_label_map_take(&map, run, view->width, view->height, radius);
    if (status == COF_OK)
        status = image ? cofi_label_map_fill(&map, run, &stats->palette, image, &complete, 1)
                       : cofi_label_map_given(&map, run, stats->palette.k, labels, &complete, 1);
    return status == COF_OK ? count(run, stats, view, &map, &complete) : status;
}

CofStatus cof_stats_add(CofStats *stats, const CofImage *image, const CofWhere *where,
                        const CofOptions *options)
{
    if (!stats || !image || !stats->settled)
        return COF_ERR_ARGUMENT;
    CofiRun run;
    CofImage view;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    cofi_run_expect(&run, 1 + COFI_COUNT_UNITS);
    status = complete_image(&run, image, &view);
    if (status == COF_OK && !cofi_palette_fits(&stats->palette, &view))
        status = mismatch(&run, "the image is not of the kind that the statistics are for");
    if (status == COF_OK)
        status = add(&run, stats, &view, NULL, where);
    return cofi_run_end(&run, status);
}

CofStatus cof_stats_add_labels(CofStats *stats, const CofImage *labels, const CofWhere *where,
                               const CofOptions *options)
{
    if (!stats || !labels || !stats->settled)
        return COF_ERR_ARGUMENT;
    CofiRun run;
    CofImage view;
    const char *problem = NULL;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    cofi_run_expect(&run, 1 + COFI_COUNT_UNITS);
    status = cofi_bytes_complete(labels, labels, &view, &problem);
    if (status != COF_OK)
        status = cofi_run_fail(&run, status, problem);
    else
        status = add(&run, stats, NULL, &view, where);
    return cofi_run_end(&run, status);
}

CofStatus cof_model_new(CofModel **out, const CofStats *stats, const CofOptions *options)
{
    if (!out || !stats || !stats->settled)
        return COF_ERR_ARGUMENT;
    CofiRun run;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    cofi_run_stage(&run, COF_STAGE_MODEL);
    return cofi_run_end(&run, cofi_model_from_counts(out, &run, stats));
}

/* The images and places of cof_model_new_soft(), complete. */
static CofStatus complete_learning_images(CofiRun *run, const CofStats *palette,
                                          const CofImage *images, const CofWhere *where, int n,
                                          CofImage *views, CofiWhere *places)
{
    for (int i = 0; i < n; i++) {
        CofStatus status = complete_image(run, &images[i], &views[i]);
        if (status != COF_OK)
            return status;
        if (!cofi_palette_fits(&palette->palette, &views[i]))
            return mismatch(run, "the image is not of the kind that the palette is for");
        CofRect full = cofi_full_rect(&views[i]);
        if (!cofi_rect_holds(cofi_view_rect(&views[i]), full))
            return cofi_run_fail(run, COF_ERR_ARGUMENT, "the view is not a whole image");
        CofWhere whole = where ? where[i] : (CofWhere){0};
        whole.part = (CofRect){0};
        status = complete_where(run, &whole, &views[i], full, &places[i]);
        if (status != COF_OK)
            return status;
    }
    return COF_OK;
}

CofStatus cof_model_new_soft(CofModel **out, const CofStats *palette, const CofImage *images,
                             const CofWhere *where, int n, const CofOptions *options)
{
    if (!out || !palette || !palette->settled || !images || n < 1)
        return COF_ERR_ARGUMENT;
    CofiRun run;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    cofi_run_expect(&run, n);
    cofi_run_stage(&run, COF_STAGE_MODEL);
    CofImage *views = cofi_run_take(&run, (size_t)n, sizeof *views);
    CofiWhere *places = cofi_run_take(&run, (size_t)n, sizeof *places);
    status = views && places
                 ? complete_learning_images(&run, palette, images, where, n, views, places)
                 : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_model_from_pixels(out, &run, palette, views, places, n);
    return cofi_run_end(&run, status);
}

CofStatus cof_model_new_matrix(CofModel **out, const CofStats *palette, const double *matrix,
                               const CofOptions *options)
{
    if (!out || !palette || !palette->settled || !matrix)
        return COF_ERR_ARGUMENT;
    CofiRun run;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    cofi_run_stage(&run, COF_STAGE_MODEL);
    return cofi_run_end(&run, cofi_model_from_matrix(out, &run, palette, matrix));
}

static CofStatus label(CofiRun *run, const CofModel *model, const CofImage *image,
                       const CofImage *labels)
{
    CofiLabelMap map;
    CofiWhere everywhere;
    CofStatus status = complete_where(run, NULL, image, cofi_full_rect(image), &everywhere);
    if (status == COF_OK)
        status = cofi_label_map_take(&map, run, image->width, image->height, 0);
    if (status == COF_OK)
        status = cofi_label_map_fill(&map, run, &model->palette, image, &everywhere, 1);
    for (int y = 0; y < image->height && status == COF_OK; y++) {
        unsigned char *to = cofi_pixel(labels, 0, y);
        uint8_t *valid = map.votes + y * map.stride; /* votes would leave out what is transparent */
        memset(valid, 1, (size_t)image->width);
        cofi_valid_row(image, 0, y, image->width, valid);
        for (int x = 0; x < image->width; x++)
            to[x * labels->step] = valid[x] ? map.labels[y * map.stride + x] : 0;
    }
    return status;
}

CofStatus cof_model_label(const CofModel *model, const CofImage *image, const CofImage *labels,
                          const CofOptions *options)
{
    if (!model || !image || !labels)
        return COF_ERR_ARGUMENT;
    CofiRun run;
    CofImage view, bytes;
    const char *problem = NULL;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    cofi_run_expect(&run, 1);
    cofi_run_stage(&run, COF_STAGE_LABELS);
    status = complete_image(&run, image, &view);
    if (status == COF_OK) {
        status = cofi_bytes_complete(labels, &view, &bytes, &problem);
        if (status != COF_OK)
            cofi_run_fail(&run, status, problem);
    }
    if (status == COF_OK && !cofi_palette_fits(&model->palette, &view))
        status = mismatch(&run, "the image is not of the kind that the model is for");
    if (status == COF_OK)
        status = label(&run, model, &view, &bytes);
    return cofi_run_end(&run, status);
}

/* What cof_filter() and its sisters were given; then the same, complete. */
typedef struct FilterCall {
    const CofModel *model;
    const CofImage *guide, *labels, *in, *out;
    const CofRect *part; /* NULL: the whole image */
    CofImage guide_view, labels_view, in_view, out_view;
} FilterCall;

static CofiFilterJob filter_job(const CofOptions *options, int model_window, double model_sigma,
                                const CofImage *in, const CofImage *out, CofRect part)
{
    return (CofiFilterJob){.in = in,
                           .out = out,
                           .part = part,
                           .window = cofi_filter_window(options, model_window),
                           .iterations = options->iterations,
                           .sigma = cofi_filter_sigma(options, model_window, model_sigma),
                           .border = options->border,
                           .space = options->space};
}

static CofStatus complete_pair(CofiRun *run, const CofImage *in, const CofImage *out,
                               CofImage *in_view, CofImage *out_view)
{
    CofStatus status = complete_image(run, in, in_view);
    if (status == COF_OK)
        status = complete_image(run, out, out_view);
    if (status == COF_OK &&
        (in->kind != out->kind || in->sample != out->sample || in->channels != out->channels))
        status = mismatch(run, "input and output differ in kind or sample type");
    return status;
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
        status = complete_image(run, call->guide, &call->guide_view);
        if (status != COF_OK)
            return status;
        if (call->guide_view.width != call->in_view.width ||
            call->guide_view.height != call->in_view.height)
            return mismatch(run, "guide and input differ in size");
    }
    const CofImage *source = call->guide ? &call->guide_view : &call->in_view;
    if (!cofi_palette_fits(&call->model->palette, source))
        return mismatch(run, "the image is not of the kind that the model is for");
    return COF_OK;
}

static CofStatus check_part(CofiRun *run, const FilterCall *call, CofRect part)
{
    const CofOptions *o = &run->options;
    CofRect full = cofi_full_rect(&call->in_view);
    int window = cofi_filter_window(o, call->model->recipe.window);
    CofRect needed = cofi_rect_grow(part, cofi_filter_margin(window, o->iterations), full);
    if (cofi_rect_empty(part) || !cofi_rect_holds(full, part))
        return cofi_run_fail(run, COF_ERR_ARGUMENT, "the part lies outside of the image");
    if (!cofi_rect_holds(cofi_view_rect(&call->in_view), needed))
        return cofi_run_fail(run, COF_ERR_ARGUMENT,
                             "the input does not reach far enough beyond the part");
    if (!cofi_rect_holds(cofi_view_rect(&call->out_view), part))
        return mismatch(run, "the output does not hold the part");
    if (o->until > 0 && (part.width != full.width || part.height != full.height))
        return cofi_run_fail(run, COF_ERR_OPTION, "until is not for parts of an image");
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

static void report_pass(CofiRun *run, int pass, double change)
{
    CofReport *report = run->options.report;
    if (!report)
        return;
    report->passes = pass + 1;
    if (pass < (int)(sizeof report->change / sizeof report->change[0]))
        report->change[pass] = change;
}

static bool is_still(const CofiRun *run, double change)
{
    return change < run->options.until;
}

/* Labels are there; all passes with one model. */
static CofStatus run_passes(CofiRun *run, CofiFilter *filter, const CofModel *model)
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
        report_pass(run, pass, change);
        if (is_still(run, change))
            break;
    }
    return COF_OK;
}

static CofStatus filter_with(CofiRun *run, const FilterCall *call, CofRect part)
{
    const CofiRecipe *recipe = &call->model->recipe;
    CofiFilterJob job = filter_job(&run->options, recipe->window, recipe->sigma, &call->in_view,
                                   &call->out_view, part);
    CofiFilter filter;
    CofStatus status = cofi_filter_open(&filter, run, &job);
    if (status == COF_OK)
        status = call->labels
                     ? cofi_filter_label_given(&filter, call->model->palette.k, &call->labels_view)
                     : cofi_filter_label(&filter, &call->model->palette,
                                         call->guide ? &call->guide_view : NULL);
    if (status == COF_OK)
        status = run_passes(run, &filter, call->model);
    if (status == COF_OK)
        cofi_filter_store(&filter);
    return status;
}

/* Loading, storing, and the passes with their labels. */
static double filter_units(const CofOptions *options)
{
    bool once = options->repeat == COF_REPEAT_FROZEN;
    return 2 + COFI_PASS_UNITS * options->iterations + (once ? 1 : options->iterations);
}

static CofStatus filter_call(FilterCall call, const CofOptions *options)
{
    if (!call.model || !call.in || !call.out)
        return COF_ERR_ARGUMENT;
    CofiRun run;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    cofi_run_expect(&run, filter_units(&run.options));
    status = complete_pair(&run, call.in, call.out, &call.in_view, &call.out_view);
    if (status == COF_OK)
        status = complete_guide(&run, &call);
    if (status == COF_OK)
        status = check_repeat(&run, &call);
    CofRect part = {0};
    if (status == COF_OK) {
        part = call.part ? *call.part : cofi_full_rect(&call.in_view);
        status = check_part(&run, &call, part);
    }
    if (status == COF_OK)
        status = filter_with(&run, &call, part);
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
    if (!labels)
        return COF_ERR_ARGUMENT;
    FilterCall call = {.model = model, .labels = labels, .in = in, .out = out};
    return filter_call(call, options);
}

CofStatus cof_filter_labels_part(const CofModel *model, const CofImage *labels, const CofImage *in,
                                 const CofImage *out, CofRect part, const CofOptions *options)
{
    if (!labels)
        return COF_ERR_ARGUMENT;
    FilterCall call = {.model = model, .labels = labels, .in = in, .out = out, .part = &part};
    return filter_call(call, options);
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
    int window = cofi_filter_window(&complete, model->recipe.window);
    return cofi_filter_margin(window, complete.iterations);
}

/* Everything that cof_smooth() makes on its way. */
typedef struct Smoothing {
    CofiRun *run;
    CofImage in, out;
    CofiWhere where;
    CofStats *stats;
    CofModel *model;
    CofiLabelMap map;
    CofiFilter filter;
} Smoothing;

/* The learning labels are those of the filter; their border is another. */
static CofStatus learn(Smoothing *s)
{
    CofStats *counted;
    CofStatus status = cof_stats_new_like(&counted, s->stats);
    if (status != COF_OK)
        return status;
    for (int y = 0; y < s->map.height; y++)
        memcpy(s->map.labels + y * s->map.stride, s->filter.labels + y * s->filter.stride,
               (size_t)s->map.width);
    status = count(s->run, counted, &s->in, &s->map, &s->where);
    cofi_run_stage(s->run, COF_STAGE_MODEL);
    CofModel *model = NULL;
    if (status == COF_OK)
        status = cofi_model_from_counts(&model, s->run, counted);
    cof_stats_free(&counted);
    if (status == COF_OK) {
        cof_model_free(&s->model);
        s->model = model;
    }
    return status;
}

/* R-CoF: label, learn, filter, again and again. */
static CofStatus roll(Smoothing *s)
{
    int passes = s->run->options.iterations;
    for (int pass = 0; pass < passes; pass++) {
        double change;
        CofStatus status = cofi_filter_relabel(&s->filter, &s->stats->palette);
        if (status == COF_OK)
            status = learn(s);
        if (status == COF_OK)
            status = cofi_filter_pass(&s->filter, s->model, passes - 1 - pass, &change);
        if (status != COF_OK)
            return status;
        report_pass(s->run, pass, change);
        if (is_still(s->run, change))
            break;
    }
    return COF_OK;
}

static CofStatus prepare_smoothing(Smoothing *s, const CofWhere *where)
{
    CofiRun *run = s->run;
    CofRect full = cofi_full_rect(&s->in);
    if (!cofi_rect_holds(cofi_view_rect(&s->in), full) ||
        !cofi_rect_holds(cofi_view_rect(&s->out), full))
        return cofi_run_fail(run, COF_ERR_ARGUMENT, "the view is not a whole image");
    CofWhere everywhere = where ? *where : (CofWhere){0};
    everywhere.part = (CofRect){0};
    CofStatus status = scan(run, s->stats, &s->in, &everywhere);
    if (status == COF_OK)
        status = cofi_scan_settle(s->stats, run);
    if (status == COF_OK)
        status = complete_where(run, &everywhere, &s->in, full, &s->where);
    if (status == COF_OK)
        status = cofi_label_map_take(&s->map, run, s->in.width, s->in.height,
                                     cofi_learning_radius(s->stats));
    if (status != COF_OK)
        return status;
    for (int y = 0; y < s->map.height; y++)
        cofi_votes_row(&s->where, &s->in, 0, y, s->map.width, s->map.votes + y * s->map.stride);
    const CofOptions *o = &run->options;
    CofiFilterJob job =
        filter_job(o, o->window, cofi_learning_sigma(o, o->window), &s->in, &s->out, full);
    return cofi_filter_open(&s->filter, run, &job);
}

static CofStatus smooth(Smoothing *s, const CofWhere *where)
{
    CofStatus status = prepare_smoothing(s, where);
    if (status != COF_OK)
        return status;
    if (s->run->options.repeat == COF_REPEAT_ROLLING) {
        status = roll(s);
    } else {
        status = cofi_filter_label(&s->filter, &s->stats->palette, NULL);
        if (status == COF_OK)
            status = learn(s);
        if (status == COF_OK)
            status = run_passes(s->run, &s->filter, s->model);
    }
    if (status == COF_OK)
        cofi_filter_store(&s->filter);
    return status;
}

/* A scan, and one count or many. */
static double learning_units(const CofOptions *options)
{
    bool rolling = options->repeat == COF_REPEAT_ROLLING;
    return 1 + COFI_COUNT_UNITS * (rolling ? options->iterations : 1);
}

CofStatus cof_smooth_where(const CofImage *in, const CofImage *out, const CofWhere *where,
                           const CofOptions *options)
{
    if (!in || !out)
        return COF_ERR_ARGUMENT;
    CofiRun run;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    Smoothing s = {.run = &run};
    cofi_run_expect(&run, filter_units(&run.options) + learning_units(&run.options));
    status = complete_pair(&run, in, out, &s.in, &s.out);
    if (status == COF_OK)
        status = cof_stats_new(&s.stats, &run.options);
    if (status == COF_OK)
        status = smooth(&s, where);
    cof_stats_free(&s.stats);
    cof_model_free(&s.model);
    return cofi_run_end(&run, status);
}

CofStatus cof_smooth(const CofImage *in, const CofImage *out, const CofOptions *options)
{
    return cof_smooth_where(in, out, NULL, options);
}
