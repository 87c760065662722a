/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics that follow a film. */
#include <math.h>

#include "chosen.h"
#include "film_lesson.h"

/* A cut: so much of the pixels have other labels than before. */
#define CUT 0.5

/* What is faded is a fraction with this denominator. */
#define WHOLE 1000000

struct Follower {
    const Arguments *arguments;
    const Film *film;
    CofStats *stats; /* so far; NULL: nothing */
};

Follower *follower_new(const Arguments *a, const Film *film)
{
    Follower *follower = g_new0(Follower, 1);
    *follower = (Follower){.arguments = a, .film = film};
    return follower;
}

/* How much of the pixels have other labels: 0..1. */
static double difference(const CofStats *a, const CofStats *b)
{
    int k = cof_stats_size(a);
    const uint64_t *one = cof_stats_histogram(a), *two = cof_stats_histogram(b);
    double sums[2] = {0}, sum = 0;
    for (int i = 0; i < k; i++) {
        sums[0] += (double)one[i];
        sums[1] += (double)two[i];
    }
    if (sums[0] <= 0 || sums[1] <= 0)
        return 1;
    for (int i = 0; i < k; i++)
        sum += fabs((double)one[i] / sums[0] - (double)two[i] / sums[1]);
    return sum / 2;
}

/* Adds a frame to what was counted; false after a complaint. */
static bool follow(Follower *f, void *frame)
{
    const Arguments *a = f->arguments;
    CofReport report;
    CofOptions options = film_options(a, &report);
    CofImage view = film_view(f->film, frame);
    CofStats *fresh = NULL;
    CofStatus status = f->stats ? cof_stats_new_like(&fresh, f->stats) : COF_OK;
    if (status == COF_OK && fresh)
        status = cof_stats_add(fresh, &view, NULL, &options);
    if (status == COF_OK && (!fresh || difference(f->stats, fresh) > CUT)) {
        cof_stats_free(&fresh);
        cof_stats_free(&f->stats);
        f->stats = film_statistics(a, f->film, frame);
        return f->stats != NULL;
    }
    if (status == COF_OK)
        status = cof_stats_fade(f->stats, (uint32_t)lrint((1 - a->adapt) * WHOLE), WHOLE);
    if (status == COF_OK)
        status = cof_stats_merge(f->stats, fresh);
    cof_stats_free(&fresh);
    return status == COF_OK || complain_cof(f->film->name, status, &report);
}

FilmLesson *follower_next(Follower *f, void *frame)
{
    return follow(f, frame) ? film_lesson_of_stats(f->arguments, f->film, f->stats) : NULL;
}

void follower_free(Follower *f)
{
    if (f)
        cof_stats_free(&f->stats);
    g_free(f);
}
