/* SPDX-License-Identifier: BSD-2-Clause */
/* What is learned of a film, as it goes on. */
#include "select/scribble_mask.h"
#include "video/video_model.h"
#include "following.h"

struct Follower {
    const Arguments *arguments;
    const Film *film;
    Following following;
};

Follower *follower_new(const Arguments *a, const Film *film)
{
    Follower *follower = g_new0(Follower, 1);
    *follower = (Follower){.arguments = a, .film = film};
    return follower;
}

FilmLesson *follower_next(Follower *f, void *frame)
{
    CofReport report;
    CofOptions options = film_options(f->arguments, &report);
    CofImage view = film_view(f->film, frame);
    CofStatus status = following_add(&f->following, &view, f->arguments->adapt, &options);
    if (status == COF_OK)
        return film_lesson_of_stats(f->arguments, f->film, f->following.stats);
    complain_cof(f->film->name, status, &report);
    return NULL;
}

void follower_free(Follower *f)
{
    if (f)
        following_clear(&f->following);
    g_free(f);
}
