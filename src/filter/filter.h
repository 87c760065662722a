/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter: passes over an image, tile by tile, and the samples that come of them. */
#ifndef COF_FILTER_H
#define COF_FILTER_H

#include "cof/cof.h"
#include "call/call.h"
#include "filter/fast_filter.h"
#include "filter/line_buffer.h"
#include "filter/weights.h"
#include "image/colour.h"
#include "learn/model.h"
#include "learn/quantise.h"

/* What is filtered, and how. */
typedef struct CofiFilterJob {
    const CofImage *in, *out; /* complete */
    const CofImage *guide;    /* of the labels, or those themselves; complete. NULL: in */
    const CofImage *fallback; /* complete: what pixels are that nothing mixes with. NULL: in */
    CofRect part;             /* of the full image: what is written */
    int window, iterations;
    double sigma;
    CofBorder border;
    CofSpace space;
    CofMethod method;
    double accuracy;
} CofiFilterJob;

/* What a thread works with. */
typedef struct CofiFilterWorker {
    void *line_memory, *fast_memory;
    size_t line_bytes; /* of its memory that are still to be zeroed */
    CofiLineBuffer lines;
    CofiFast fast;
    double seconds[COF_STAGE_TOTAL];
    uint8_t *has_weight; /* of a row of a tile */
    float *values;       /* of each band: the same */
} CofiFilterWorker;

/* One pass goes from samples to samples. Of several, each but the last leaves working values in
 * planes; the samples are made of those of the last. Planes are as large as `view`. */
typedef struct CofiFilter {
    CofiCall *call;
    CofiFilterJob job;
    CofiColour colour;
    CofRect view; /* of the full image: the part and all that it depends on */
    int radius, bands;
    int reach; /* how far one pass looks: the radius, or more */
    CofiFastPlan plan;
    CofiLowRank low_rank;
    CofiFastFactors factors;
    float *factor_memory;
    bool lab;                                        /* bands are Lab, else samples */
    int passes;                                      /* made so far */
    float *now[COF_MAX_BANDS], *next[COF_MAX_BANDS]; /* working values; NULL for a single pass */
    uint8_t *changed; /* 1: some pass has changed the pixel; as now */
    uint8_t *labels;
    int16_t *packed[3]; /* Lab of 8-bit RGB, which the labels were made of; NULL: not kept */
    bool is_packed;     /* it is there */
    CofImage result;    /* of a single pass: `out`, or what will be copied there */
    CofiFilterWorker *workers;
    CofiWeights weights;
    float *matte;                   /* how much of a pixel stays, 0..1; as now. NULL: nothing */
    double *changes, *valid_counts; /* of each row of the part and column of tiles: squared
                                     * change, pixels with data */
} CofiFilter;

/* Units of progress of a pass; labelling and storing are worth 1 each. */
#define COFI_PASS_UNITS 10.0

/* How far a pass looks. */
int cofi_filter_reach(CofMethod method, double accuracy, int window, double sigma);

/* Takes all memory. */
CofStatus cofi_filter_open(CofiFilter *filter, CofiCall *call, const CofiFilterJob *job);

/* What a pass reads, how wide its tiles are at most, and where a part of the full image lies in the
 * view. */
CofiSource cofi_filter_source(const CofiFilter *filter);
int cofi_filter_tile_width(const CofiFilter *filter, bool fast);
CofRect cofi_filter_in_view(const CofiFilter *filter, CofRect rect);

/* Row y of the view as samples of `to`, n of them from x on; pixels that did not move keep their
 * bytes. */
void cofi_filter_store_row(const CofiFilter *filter, const CofImage *to, int x, int y, int n,
                           const float *const *values, const uint8_t *changed);

/* Writes the part. Cannot be cancelled: the output is either untouched or whole. */
void cofi_filter_store(CofiFilter *filter);

#endif
