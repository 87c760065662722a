/* SPDX-License-Identifier: BSD-2-Clause */
/* The simple way: learn and filter in one call, once (I-CoF) or again and again (R-CoF). */
#include "cof/cof.h"

#include <string.h>

#include "api/checks.h"
#include "image/image.h"
#include "options/options.h"

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

static void copy_labels(void *context, int first, int last, int worker)
{
    (void)worker;
    const Smoothing *s = context;
    for (int y = first; y < last; y++)
        memcpy(s->map.labels + y * s->map.stride, s->filter.labels + (ptrdiff_t)y * s->map.width,
               (size_t)s->map.width);
}

/* The learning labels are those of the filter; their border is another. */
static CofStatus learn(Smoothing *s, bool again)
{
    CofiMark mark = cofi_run_mark(s->run);
    if (again)
        cofi_stats_clear(s->stats);
    CofStatus status = cofi_run_rows(s->run, s->map.height, 0, copy_labels, s);
    if (status == COF_OK)
        status = cofi_learn_count(s->run, s->stats, &s->in, &s->map, &s->where);
    cofi_run_stage(s->run, COF_STAGE_MODEL);
    CofModel *model = NULL;
    if (status == COF_OK)
        status = cofi_model_from_counts(&model, s->run, s->stats);
    cofi_run_release(s->run, mark);
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
            status = learn(s, pass > 0);
        if (status == COF_OK)
            status = cofi_filter_pass(&s->filter, s->model, passes - 1 - pass, &change);
        if (status != COF_OK)
            return status;
        cofi_report_pass(s->run, change);
        if (cofi_is_still(s->run, change))
            break;
    }
    return COF_OK;
}

static CofStatus check_whole(Smoothing *s)
{
    CofRect full = cofi_full_rect(&s->in);
    if (!cofi_rect_holds(cofi_view_rect(&s->in), full) ||
        !cofi_rect_holds(cofi_view_rect(&s->out), full))
        return cofi_run_fail(s->run, COF_ERR_ARGUMENT, "the view is not a whole image");
    if (s->out.full_width != full.width || s->out.full_height != full.height)
        return cofi_mismatch(s->run, "input and output differ in full size");
    return COF_OK;
}

static CofStatus prepare_smoothing(Smoothing *s, const CofWhere *where)
{
    CofiRun *run = s->run;
    CofRect full = cofi_full_rect(&s->in);
    CofStatus status = cofi_learn_scan(run, s->stats, &s->in, where, true);
    if (status == COF_OK)
        status = cofi_scan_settle(s->stats, run);
    if (status == COF_OK)
        status = cofi_check_where(run, where, &s->in, full, &s->where);
    if (status == COF_OK)
        status = cofi_label_map_take(&s->map, run, s->in.width, s->in.height,
                                     cofi_learning_radius(s->stats));
    if (status == COF_OK)
        status = cofi_label_map_votes(&s->map, run, &s->in, &s->where, 0);
    if (status != COF_OK)
        return status;
    const CofOptions *o = &run->options;
    CofiFilterJob job =
        cofi_filter_job(o, o->window, cofi_learning_sigma(o, o->window), &s->in, &s->out, full);
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
        status = cofi_filter_label(&s->filter, &s->stats->palette);
        if (status == COF_OK)
            status = learn(s, false);
        if (status == COF_OK)
            status = cofi_run_passes(s->run, &s->filter, s->model);
    }
    if (status == COF_OK)
        cofi_filter_store(&s->filter);
    return status;
}

/* The model comes from the picture reduced. */
static CofStatus smooth_coarsely(Smoothing *s, const CofWhere *where)
{
    CofiRun *run = s->run;
    CofiLesson lesson;
    if (run->options.repeat == COF_REPEAT_ROLLING)
        return cofi_check_coarse(run, "coarse learns once: not with rolling");
    CofStatus status = cofi_coarse_lesson(run, &s->in, where, &lesson);
    if (status == COF_OK)
        status = cofi_learn_scan(run, s->stats, &lesson.image, &lesson.where, true);
    if (status == COF_OK)
        status = cofi_scan_settle(s->stats, run);
    if (status == COF_OK)
        status = cofi_learn_add(run, s->stats, &lesson.image, &lesson.where);
    cofi_run_stage(run, COF_STAGE_MODEL);
    if (status == COF_OK)
        status = cofi_model_from_counts(&s->model, run, s->stats);
    CofiFiltered pictures = {.in = &s->in, .out = &s->out};
    return status == COF_OK ? cofi_filter_coarsely(run, s->model, &pictures, &lesson.image)
                            : status;
}

/* A scan, and one count or many. */
static double learning_units(const CofOptions *options)
{
    bool rolling = options->repeat == COF_REPEAT_ROLLING;
    double fewer = (double)options->coarse * options->coarse;
    return (1 + COFI_COUNT_UNITS * (rolling ? options->iterations : 1)) / fewer;
}

CofStatus cof_smooth_where(const CofImage *in, const CofImage *out, const CofWhere *where,
                           const CofOptions *options)
{
    CofiRun run;
    CofStatus status = cofi_run_begin(&run, options);
    if (status != COF_OK)
        return status;
    Smoothing s = {.run = &run};
    cofi_run_expect(&run, cofi_filter_units(&run.options) + learning_units(&run.options));
    status = cofi_check_pair(&run, in, out, &s.in, &s.out);
    if (status == COF_OK)
        status = cof_stats_new(&s.stats, &run.options);
    if (status == COF_OK)
        status = check_whole(&s);
    CofWhere everywhere = where ? *where : (CofWhere){0};
    everywhere.part = (CofRect){0};
    if (status == COF_OK)
        status =
            run.options.coarse > 1 ? smooth_coarsely(&s, &everywhere) : smooth(&s, &everywhere);
    cof_stats_free(&s.stats);
    cof_model_free(&s.model);
    return cofi_run_end(&run, status);
}

CofStatus cof_smooth(const CofImage *in, const CofImage *out, const CofOptions *options)
{
    return cof_smooth_where(in, out, NULL, options);
}
