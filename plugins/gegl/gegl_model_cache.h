/* SPDX-License-Identifier: BSD-2-Clause */
/* What an operation keeps from one run to the next, so that it learns only when it must. */
#ifndef COF_GEGL_MODEL_CACHE_H
#define COF_GEGL_MODEL_CACHE_H

#include <stdbool.h>

#include "gegl_progress.h"

/* Room for the name of a file and some words. */
#define MAX_PROBLEM 4608

typedef struct GeglModelCache GeglModelCache;

GeglModelCache *gegl_model_cache_new(void);
void gegl_model_cache_free(GeglModelCache *kept); /* may be NULL */

/* The model of a file, or, if `file` is NULL or empty, of the image. It is made only if it is not
 * that of the last call, and learned only if the statistics are not. It lives until the next call.
 * NULL with `problem`, a few words, if that fails. */
const CofModel *gegl_model_cache_get(GeglModelCache *cache, const char *file, const CofImage *image,
                                     const CofOptions *options, GeglProgress *progress,
                                     char problem[MAX_PROBLEM]);

/* Is this problem another one than the last? NULL: there is none. An operation is run for every
 * part of a picture, and should warn once. */
bool gegl_model_cache_is_new_problem(GeglModelCache *cache, const char *problem);

/* Says what went wrong in libcof, and with which file, if any (NULL or empty: none). */
void gegl_model_cache_explain(char problem[MAX_PROBLEM], const char *file, CofStatus status,
                              const CofReport *report);

#endif
