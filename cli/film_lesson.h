/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known when a frame of a film is filtered, and how it is learned. */
#ifndef COF_FILM_LESSON_H
#define COF_FILM_LESSON_H

#include "arguments.h"
#include "film.h"

/* Shared by frames; never changes. */
typedef struct FilmLesson {
    CofModel *model;      /* of all, or of the background */
    CofModel *foreground; /* NULL: all is filtered */
} FilmLesson;

FilmLesson *film_lesson_ref(FilmLesson *lesson);
void film_lesson_unref(void *lesson);

/* Each complains, and returns NULL or false, if it fails. */

/* Of a file, of a frame, or of what is scribbled on one. */
FilmLesson *film_lesson_first(const Arguments *arguments, const Film *film);

/* Follows a film: counts fade, and a cut makes it learn anew. */
typedef struct Follower Follower;
Follower *follower_new(const Arguments *arguments, const Film *film);
FilmLesson *follower_next(Follower *follower, void *frame);
void follower_free(Follower *follower);

#endif
