/* SPDX-License-Identifier: BSD-2-Clause */
/* M: how strongly two values mix. */
#ifndef COF_MODEL_H
#define COF_MODEL_H

#include "cof/cof.h"
#include "call/call.h"
#include "learn/palette.h"
#include "learn/stats.h"

/* The options that a model was made with. */
typedef struct CofiRecipe {
    int window;      /* of learning, in pixels of the downscaled image */
    int downscale;   /* of learning */
    double sigma;    /* of learning */
    double softness; /* 0: hard */
    CofNormalise normalise;
    double separation; /* 0: none */
} CofiRecipe;

struct CofModel {
    CofiPalette palette;
    CofiRecipe recipe;
    double *matrix;      /* k x k */
    double *frequencies; /* k: pi */

    int n_others; /* other members, each with a palette of its own and without others */
    CofModel *others[COF_MAX_PALETTES - 1];
};

/* The members: 0 is the model itself. All have the same recipe. */
static inline const CofModel *cofi_model_member(const CofModel *model, int i)
{
    return i == 0 ? model : model->others[i - 1];
}

/* A model with a copy of the palette, in which M and pi are 0. NULL without memory. */
CofModel *cofi_model_blank(const CofiPalette *palette, const CofiRecipe *recipe);
void cofi_model_free(CofModel **model);

/* Makes co-occurrences symmetric, which they are but for rounding. */
void cofi_make_symmetric(double *pairs, size_t k);

/* M and pi of one member from co-occurrences (k x k, symmetric) and frequencies (k). COF_ERR_EMPTY
 * if they are all 0. */
CofStatus cofi_model_normalise(CofModel *model, CofiCall *call, const double *pairs,
                               const double *histogram);

/* A model from counts, of one member or with all. */
CofStatus cofi_model_from_one(CofModel **out, CofiCall *call, const CofStats *member);
CofStatus cofi_model_from_counts(CofModel **out, CofiCall *call, const CofStats *stats);

/* M from a matrix, checked. */
CofStatus cofi_model_from_matrix(CofModel **out, CofiCall *call, const CofStats *palette,
                                 const double *matrix);

/* The recipe of a model with these options. */
CofiRecipe cofi_recipe(const CofOptions *options, const CofiLearning *learning);

/* The standard deviation of the soft assignment to a member's palette. */
double cofi_soft_sigma(const CofStats *member, const CofiRecipe *recipe);

#endif
