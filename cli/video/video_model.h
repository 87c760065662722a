/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known when a frame of a film is filtered, and how it is learned. */
#ifndef COF_VIDEO_MODEL_H
#define COF_VIDEO_MODEL_H

#include "options/arguments.h"
#include "video/video_file.h"

/* Shared by frames; never changes. */
typedef struct FilmLesson {
    CofModel *model;      /* of all, or of the background */
    CofModel *foreground; /* NULL: all is filtered */
} FilmLesson;

FilmLesson *film_lesson_ref(FilmLesson *lesson);
void film_lesson_unref(void *lesson);

/* Takes over the models. */
FilmLesson *film_lesson_new(CofModel *model, CofModel *foreground);

/* The options of the command line, with a report of what goes wrong. */
CofOptions film_options(const Arguments *arguments, CofReport *report);

/* The frame that is learned from, if nothing says otherwise. */
int64_t film_usual_frame(const Arguments *arguments);

/* Each complains, and returns NULL or false, if it fails. */

/* Of a file, of a frame, or of what is scribbled on some. */
FilmLesson *film_lesson_first(const Arguments *arguments, const Film *film);

/* Of statistics of a frame. */
FilmLesson *film_lesson_of_stats(const Arguments *arguments, const Film *film,
                                 const CofStats *stats);

/* film_choice.c: of what is scribbled. */
FilmLesson *film_lesson_chosen(const Arguments *arguments, const Film *film);

/* film_follower.c: follows a film: counts fade, and a cut makes it learn anew. */
typedef struct Follower Follower;
Follower *follower_new(const Arguments *arguments, const Film *film);
FilmLesson *follower_next(Follower *follower, void *frame);
void follower_free(Follower *follower);

#endif
