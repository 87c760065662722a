/* SPDX-License-Identifier: BSD-2-Clause */
/* What an operation keeps from one run to the next, so that it learns only when it must. */
#ifndef COF_GEGL_KEPT_H
#define COF_GEGL_KEPT_H

#include <stdbool.h>

#include "gegl_progress.h"

/* Room for the name of a file and some words. */
#define KEPT_PROBLEM 4608

typedef struct Kept Kept;

Kept *kept_new(void);
void kept_free(Kept *kept); /* may be NULL */

/* The model of a file, or, if `file` is NULL or empty, of the image. It is made only if it is not
 * that of the last call, and learned only if the statistics are not. It lives until the next call.
 * NULL with `problem`, a few words, if that fails. */
const CofModel *kept_model(Kept *kept, const char *file, const CofImage *image,
                           const CofOptions *options, Watch *watch, char problem[KEPT_PROBLEM]);

/* Is this problem another one than the last? NULL: there is none. An operation is run for every
 * part of a picture, and should warn once. */
bool kept_is_news(Kept *kept, const char *problem);

/* Says what went wrong in libcof, and with which file, if any (NULL or empty: none). */
void kept_explain(char problem[KEPT_PROBLEM], const char *file, CofStatus status,
                  const CofReport *report);

#endif
