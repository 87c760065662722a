/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a film: from a file, or learned from its frames. */
#ifndef COF_FREI0R_KNOWLEDGE_H
#define COF_FREI0R_KNOWLEDGE_H

#include "cof/cof.h"
#include "following.h"
#include "frei0r_parameters.h"
#include "model_file.h"

typedef enum Source { FROM_NOTHING, FROM_FILE, FROM_FIRST, FROM_EVERY, FROM_ALL } Source;

typedef struct Knowledge {
    Source source;
    unsigned edition;                 /* of the texts */
    int window, colours, coarse;      /* that the statistics are of */
    double softness;                  /* that the model is of */
    Following followed;               /* its statistics are kept for models of another softness */
    CofModel *model;                  /* NULL: none */
    int age;                          /* frames since the last lesson */
    char problem[MODEL_FILE_PROBLEM]; /* of the file, which is not tried again */
} Knowledge;

/* All 0 knows nothing. */
void knowledge_clear(Knowledge *knowledge);

/* The model for a frame, learned or loaded if it is time to. NULL if that fails: then *about says
 * what is to blame, and *problem why, in a few words that live as long as the knowledge. */
const CofModel *knowledge_model(Knowledge *knowledge, const Settings *settings,
                                const CofImage *frame, const CofOptions *options,
                                const char **about, const char **problem);

#endif
