/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows that are too large to learn with, or to filter with again and again: both are done to the
 * picture reduced. One pass over the whole picture then puts what came of it between boundaries
 * that are as fine as its pixels. */
#include "entry.h"

#include "image.h"
#include "model.h"
#include "options.h"
#include "reduce.h"

CofStatus cofi_check_coarse(CofiRun *run, const char *problem)
{
    return run->options.coarse > 1 ? cofi_run_fail(run, COF_ERR_OPTION, problem) : COF_OK;
}

static CofStatus check_whole(CofiRun *run, const CofImage *image)
{
    bool whole = cofi_rect_holds(cofi_view_rect(image), cofi_full_rect(image));
    return whole ? COF_OK : cofi_check_coarse(run, "coarse is not for parts of an image");
}

CofStatus cofi_coarse_lesson(CofiRun *run, const CofImage *image, const CofWhere *where,
                             CofiLesson *lesson)
{
    CofRect full = cofi_full_rect(image);
    CofiWhere complete;
    CofStatus status = check_whole(run, image);
    if (status == COF_OK)
        status = cofi_check_where(run, where, image, full, &complete);
    if (status != COF_OK)
        return status;
    if (complete.part.width != full.width || complete.part.height != full.height)
        return cofi_check_coarse(run, "coarse is not for parts of an image");
    int n = run->options.coarse;
    status = cofi_reduce(run, image, n, &lesson->image);
    if (status == COF_OK)
        status = cofi_reduce_where(run, &complete, n, &lesson->complete);
    lesson->where = (CofWhere){.region = lesson->complete.region,
                               .mask = complete.has_mask ? &lesson->complete.mask : NULL};
    run->worth = 1.0 / ((double)n * n);
    return status;
}

/* What the last pass does: windows cover as much of the whole picture as they did of the small. */
static void widen(CofOptions *options, const CofModel *model, int n)
{
    int window = cofi_filter_window(options, model->recipe.window);
    double sigma = cofi_filter_sigma(options, model->recipe.window, model->recipe.sigma);
    int radius = window / 2 * n;
    if (radius > COF_MAX_FILTER_WINDOW / 2)
        radius = COF_MAX_FILTER_WINDOW / 2;
    options->filter_window = 2 * radius + 1;
    options->filter_sigma = n * sigma;
    options->iterations = 1;
}

/* All passes but the last, in place. */
static CofStatus filter_small(CofiRun *run, const CofModel *model, const CofImage *guide,
                              const CofImage *image)
{
    if (run->options.iterations == 1)
        return COF_OK;
    run->options.iterations--;
    CofiMark mark = cofi_run_mark(run);
    CofiFiltered pictures = {.guide = guide, .in = image, .out = image};
    CofStatus status = cofi_filter_pictures(run, model, &pictures);
    cofi_run_release(run, mark);
    return status;
}

CofStatus cofi_filter_coarsely(CofiRun *run, const CofModel *model, const CofiFiltered *whole)
{
    int n = run->options.coarse;
    CofOptions last = run->options;
    widen(&last, model, n);
    CofImage small, small_guide, large;
    CofStatus status = cofi_reduce(run, whole->in, n, &small);
    if (status == COF_OK && whole->guide)
        status = cofi_reduce(run, whole->guide, n, &small_guide);
    run->worth = 1.0 / ((double)n * n);
    if (status == COF_OK)
        status = filter_small(run, model, whole->guide ? &small_guide : NULL, &small);
    run->worth = 1;
    if (status == COF_OK)
        status = cofi_enlarge(run, &small, n, whole->in, &large);
    if (status != COF_OK)
        return status;
    run->options = last;
    const CofImage *guide = whole->guide ? whole->guide : whole->in;
    if (last.repeat == COF_REPEAT_RELABEL)
        guide = NULL; /* boundaries are those of what came of it, made smooth by enlarging */
    CofiFiltered pictures = {.guide = guide, .in = &large, .still = whole->in, .out = whole->out};
    return cofi_filter_pictures(run, model, &pictures);
}
