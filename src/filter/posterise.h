/* SPDX-License-Identifier: BSD-2-Clause */
/* Paints an image in a few colours, for tracing. */
#ifndef COF_POSTERISE_H
#define COF_POSTERISE_H

#include "cof/cof.h"
#include "call/call.h"

#define COFI_POSTERISE_UNITS 8.0 /* of progress */

/* Where the result is written; NULL: nowhere. */
typedef struct CofiPosterised {
    const CofImage *out, *labels; /* complete, as large as the input */
    float *palette;
    int *n;
} CofiPosterised;

/* See cof_posterise(). The view is complete and whole, grey or RGB. */
CofStatus cofi_posterise(CofiCall *call, const CofImage *in, int colours,
                         const CofiPosterised *posterised);

#endif
