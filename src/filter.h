/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter: passes over an image, tile by tile, and the samples that come of them. */
#ifndef COF_FILTER_H
#define COF_FILTER_H

#include "cof/cof.h"
#include "colour.h"
#include "fast.h"
#include "labels.h"
#include "model.h"
#include "ring.h"
#include "run.h"
#include "weights.h"

/* What is filtered, and how. */
typedef struct CofiFilterJob {
    const CofImage *in, *out; /* complete */
    const CofImage *guide;    /* of the labels, or those themselves; complete. NULL: in */
    CofRect part;             /* of the full image: what is written */
    int window, iterations;
    double sigma;
    CofBorder border;
    CofSpace space;
    CofMethod method;
    double accuracy;
} CofiFilterJob;

/* One pass goes from samples to samples. Of several, each but the last leaves working values in
 * planes; the samples are made of those of the last. Planes are as large as `view`. */
typedef struct CofiFilter {
    CofiRun *run;
    CofiFilterJob job;
    CofiColour colour;
    CofRect view; /* of the full image: the part and all that it depends on */
    int radius, bands;
    int reach; /* how far one pass looks: the radius, or more */
    CofiFastPlan plan;
    CofiSpectrum spectrum;
    CofiFastFactors factors;
    float *factor_memory;
    bool lab;                                        /* bands are Lab, else samples */
    int passes;                                      /* made so far */
    float *now[COF_MAX_BANDS], *next[COF_MAX_BANDS]; /* working values; NULL for a single pass */
    uint8_t *moved; /* 1: some pass has changed the pixel; as now */
    uint8_t *labels;
    int16_t *packed[3]; /* Lab of 8-bit RGB, which the labels were made of; NULL: not kept */
    bool is_packed;     /* it is there */
    CofImage result;    /* of a single pass: `out`, or what will be copied there */
    struct CofiFilterWorker *workers;
    CofiWeights weights;
    double *changes, *lives; /* of each row of the part and column of tiles: squared
                              * change, pixels with data */
} CofiFilter;

/* Units of progress of a pass; labelling and storing are worth 1 each. */
#define COFI_PASS_UNITS 10.0

/* How far a pass looks. */
int cofi_filter_reach(CofMethod method, double accuracy, int window, double sigma);

/* Takes all memory. */
CofStatus cofi_filter_open(CofiFilter *filter, CofiRun *run, const CofiFilterJob *job);

/* labelling.c: labels of the job's guide, given by the guide (COF_ERR_MISMATCH if one is not below
 * k), or of the values as they are now. */
CofStatus cofi_filter_label(CofiFilter *filter, const CofiPalette *palette);
CofStatus cofi_filter_label_given(CofiFilter *filter, int k);
CofStatus cofi_filter_relabel(CofiFilter *filter, const CofiPalette *palette);

/* One pass with M; `left` passes follow. *change is the mean squared change in 8-bit units, if
 * anybody wants to know. */
CofStatus cofi_filter_pass(CofiFilter *filter, const CofModel *model, int left, double *change);

/* Writes the part. Cannot be cancelled: the output is either untouched or whole. */
void cofi_filter_store(CofiFilter *filter);

#endif
