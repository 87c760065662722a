/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model of a video: loaded from a file or learned from its frames. */
#ifndef COF_FREI0R_MODEL_CACHE_H
#define COF_FREI0R_MODEL_CACHE_H

#include "cof/cof.h"
#include "adaptive_stats.h"
#include "frei0r_parameters.h"
#include "model_file.h"

typedef enum ModelSource {
    SOURCE_NONE,
    SOURCE_FILE,
    SOURCE_FIRST_FRAME,
    SOURCE_INTERVAL,
    SOURCE_ALL_FRAMES
} ModelSource;

typedef struct Frei0rModelCache {
    ModelSource source;
    unsigned revision;                /* of the text parameters */
    CofOptions options;               /* of the statistics and the model */
    AdaptiveStats adaptive;           /* kept when only options of the model change */
    CofModel *model;                  /* NULL: none */
    int age;                          /* frames since the model was learned */
    char problem[MODEL_FILE_PROBLEM]; /* set after a failed load, which is not repeated */
} Frei0rModelCache;

/* Frees the contents. A zero-initialised cache is empty. */
void frei0r_model_cache_clear(Frei0rModelCache *cache);

/* Returns the model for a frame, learned or loaded if necessary. On failure returns NULL; *about
 * then names the file or object at fault, *problem the reason, valid as long as the cache.
 * options->problem must not be NULL. */
const CofModel *frei0r_model_cache_get(Frei0rModelCache *cache, const FilterSettings *settings,
                                       const CofImage *frame, const CofOptions *options,
                                       const char **about, const char **problem);

#endif
