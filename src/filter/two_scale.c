/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows that are too large to learn with, or to filter with again and again: both are done to the
 * picture reduced. One pass over the whole picture then puts what came of it between boundaries
 * that are as fine as its pixels. */
#include "api/checks.h"

#include <math.h>

#include "image/image.h"
#include "image/resample.h"
#include "learn/model.h"
#include "options/options.h"

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

static double squared_distance(const CofiPalette *palette, int a, int b)
{
    double sum = 0;
    for (int band = 0; band < palette->bands; band++) {
        double d = (double)palette->centres[a * palette->bands + band] -
                   (double)palette->centres[b * palette->bands + band];
        sum += d * d;
    }
    return sum;
}

/* Labels that the small picture does not have, though the whole one may, were not learned for that
 * alone: the nearest that it has stands for each. */
static void name_synonyms(const CofiPalette *palette, const bool *present, uint8_t *synonyms)
{
    for (int a = 0; a < palette->k; a++) {
        int nearest = a;
        double least = HUGE_VAL;
        for (int b = 0; b < palette->k && !present[a]; b++)
            if (present[b] && squared_distance(palette, a, b) < least) {
                least = squared_distance(palette, a, b);
                nearest = b;
            }
        synonyms[a] = (uint8_t)nearest;
    }
}

static CofStatus find_synonyms(CofiRun *run, const CofModel *model, const CofImage *small,
                               uint8_t *synonyms)
{
    CofiMark mark = cofi_run_mark(run);
    CofiLabelMap map;
    CofiWhere everywhere;
    bool present[COF_MAX_COLOURS] = {false};
    CofStatus status = cofi_check_where(run, NULL, small, cofi_full_rect(small), &everywhere);
    if (status == COF_OK)
        status = cofi_label_map_take(&map, run, small->width, small->height, 0);
    if (status == COF_OK)
        status = cofi_label_map_fill(&map, run, &model->palette, small, &everywhere, 0);
    for (int y = 0; y < small->height && status == COF_OK; y++)
        for (int x = 0; x < small->width; x++)
            present[map.labels[y * map.stride + x]] |= map.votes[y * map.stride + x] != 0;
    name_synonyms(&model->palette, present, synonyms);
    cofi_run_release(run, mark);
    return status;
}

/* `small` becomes what all passes but the last make of it. */
static CofStatus make_small(CofiRun *run, const CofModel *model, const CofiFiltered *whole,
                            const CofImage *small, uint8_t *synonyms)
{
    int n = run->options.coarse;
    CofImage guide = *small;
    CofStatus status = whole->guide ? cofi_reduce(run, whole->guide, n, &guide) : COF_OK;
    run->worth = 1.0 / ((double)n * n);
    if (status == COF_OK)
        status = find_synonyms(run, model, &guide, synonyms);
    if (status == COF_OK)
        status = filter_small(run, model, whole->guide ? &guide : NULL, small);
    run->worth = 1;
    return status;
}

CofStatus cofi_filter_coarsely(CofiRun *run, const CofModel *model, const CofiFiltered *whole,
                               const CofImage *reduced)
{
    int n = run->options.coarse;
    uint8_t synonyms[COF_MAX_COLOURS] = {0};
    CofOptions last = run->options;
    widen(&last, model, n);
    CofImage small, large;
    CofStatus status = COF_OK;
    if (reduced)
        small = *reduced;
    else
        status = cofi_reduce(run, whole->in, n, &small);
    if (status == COF_OK)
        status = make_small(run, model, whole, &small, synonyms);
    if (status == COF_OK)
        status = cofi_enlarge(run, &small, n, whole->in, &large);
    if (status != COF_OK)
        return status;
    run->options = last;
    const CofImage *guide = whole->guide ? whole->guide : whole->in;
    if (last.repeat == COF_REPEAT_RELABEL)
        guide = NULL; /* boundaries are those of what came of it, made smooth by enlarging */
    CofiFiltered pictures = {
        .guide = guide, .in = &large, .still = whole->in, .out = whole->out, .synonyms = synonyms};
    return cofi_filter_pictures(run, model, &pictures);
}
