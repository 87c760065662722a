/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches the statistics and the model of an operation between runs. */
#ifndef COF_GEGL_MODEL_CACHE_H
#define COF_GEGL_MODEL_CACHE_H

#include <stdbool.h>

#include "gegl_progress.h"

/* Size of a message: a file name and a reason. */
#define MAX_PROBLEM 4608

typedef struct GeglModelCache GeglModelCache;

GeglModelCache *gegl_model_cache_new(void);
void gegl_model_cache_free(GeglModelCache *cache); /* may be NULL */

/* Returns the model loaded from `file` or, if `file` is NULL or empty, learned from the image.
 * Statistics and model are reused if their inputs have not changed. The model is valid until the
 * next call. On failure returns NULL and writes the reason to `problem`; options->problem must not
 * be NULL. */
const CofModel *gegl_model_cache_get(GeglModelCache *cache, const char *file, const CofImage *image,
                                     const CofOptions *options, GeglProgress *progress,
                                     char problem[MAX_PROBLEM]);

/* Does this problem differ from the last one? NULL: no problem. GEGL runs an operation for every
 * part of an image; it should warn once. */
bool gegl_model_cache_is_new_problem(GeglModelCache *cache, const char *problem);

/* Writes why a call of libcof failed to `problem`, after the file name, if any (NULL or empty:
 * none).
 */
void gegl_model_cache_explain(char problem[MAX_PROBLEM], const char *file,
                              const CofProblem *reason);

#endif
