/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a film: from a file, or learned from its frames. */
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
    unsigned revision;                /* of the texts */
    int window, colours, coarse;      /* that the statistics are of */
    double softness;                  /* that the model is of */
    AdaptiveStats adaptive;           /* its statistics are kept for models of another softness */
    CofModel *model;                  /* NULL: none */
    int age;                          /* frames since the last lesson */
    char problem[MODEL_FILE_PROBLEM]; /* of the file, which is not tried again */
} Frei0rModelCache;

/* All 0 knows nothing. */
void frei0r_model_cache_clear(Frei0rModelCache *cache);

/* The model for a frame, learned or loaded if it is time to. NULL if that fails: then *about says
 * what is to blame, and *problem why, in a few words that live as long as the knowledge. */
const CofModel *frei0r_model_cache_get(Frei0rModelCache *cache, const FilterSettings *settings,
                                       const CofImage *frame, const CofOptions *options,
                                       const char **about, const char **problem);

#endif
