/* SPDX-License-Identifier: BSD-2-Clause */
/* Features of the first rows of an image, found by idle threads while the palette is sought. */
#ifndef COF_EARLY_FEATURES_H
#define COF_EARLY_FEATURES_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "image/colour.h"

typedef struct CofiEarlyFeatures {
    CofiSpareTasks tasks; /* one for each row */
    const CofImage *image;
    CofiColour colour;
    int stride;     /* from row to row */
    float *planes;  /* of blocks of COFI_TOGETHER rows: the planes of all bands */
    uint8_t *found; /* 1 for each row whose features have been found */
} CofiEarlyFeatures;

/* Will threads be idle while a palette of so many colours is sought, and is there work for them? */
bool cofi_early_features_pay(const CofiCall *call, const CofImage *image, int colours);

/* Makes the features of an image spare tasks of the call, which owns the memory.
 * cofi_early_features_end() must follow. */
CofStatus cofi_early_features_offer(CofiEarlyFeatures *early, CofiCall *call, const CofImage *image,
                                    int colours);

/* There are no more spare tasks; what was found can be used. */
void cofi_early_features_end(CofiCall *call);

/* Have the features of a block been found? If so, `planes` is filled in. */
bool cofi_early_features_have(const CofiEarlyFeatures *early, CofRect block, const float **planes);

#endif
