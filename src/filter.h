/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter: working planes of an image, passes over them, and back to samples. */
#ifndef COF_FILTER_H
#define COF_FILTER_H

#include "cof/cof.h"
#include "colour.h"
#include "labels.h"
#include "model.h"
#include "run.h"

/* What is filtered, and how. */
typedef struct CofiFilterJob {
    const CofImage *in, *out; /* complete */
    CofRect part;             /* of the full image: what is written */
    int window, iterations;
    double sigma;
    CofBorder border;
    CofSpace space;
} CofiFilterJob;

/* Planes are as large as `view`, with a border of `radius` pixels; pointers are to the first pixel
 * of the view. */
typedef struct CofiFilter {
    CofiRun *run;
    CofiFilterJob job;
    CofiColour colour;
    CofRect view; /* of the full image: the part and all that it depends on */
    int radius, bands;
    bool lab; /* bands are Lab, else samples */
    ptrdiff_t stride;
    float *now[COF_MAX_BANDS], *next[COF_MAX_BANDS];
    uint8_t *labels;
    float *votes;   /* alpha; 0 without data */
    uint8_t *live;  /* 1: has data and is filtered. No border, view.width wide; as is: */
    uint8_t *moved; /* 1: some pass has changed the pixel */
    float *gauss;
    float *matrix;              /* room for 256 x 256 */
    double *changes;            /* of each row of the view */
    const int *from_x, *from_y; /* where border pixels come from, -1: nowhere */
} CofiFilter;

/* Units of progress of a pass; loading, labelling and storing are worth 1 each. */
#define COFI_PASS_UNITS 10.0

/* How far the result of a job looks. */
int cofi_filter_margin(int window, int iterations);

/* Takes all memory and loads the image. */
CofStatus cofi_filter_open(CofiFilter *filter, CofiRun *run, const CofiFilterJob *job);

/* Labels: of a guide (complete, as large as in; NULL: the image itself), given by the caller
 * (COF_ERR_MISMATCH if one is not below k), or of the values as they are now. */
CofStatus cofi_filter_label(CofiFilter *filter, const CofiPalette *palette, const CofImage *guide);
CofStatus cofi_filter_label_given(CofiFilter *filter, int k, const CofImage *labels);
CofStatus cofi_filter_relabel(CofiFilter *filter, const CofiPalette *palette);

/* One pass with M; `left` passes follow. *change is the mean squared change in 8-bit units. */
CofStatus cofi_filter_pass(CofiFilter *filter, const CofModel *model, int left, double *change);

/* Writes the part. Cannot be cancelled: the output is either untouched or whole. */
void cofi_filter_store(CofiFilter *filter);

#endif
