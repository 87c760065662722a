/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the filter: memory, labels and working values of all passes; and storing the result.
 */
#ifndef COF_FILTER_H
#define COF_FILTER_H

#include "cof/cof.h"
#include "call/call.h"
#include "filter/fast_filter.h"
#include "filter/grey_weights.h"
#include "filter/line_buffer.h"
#include "filter/palette_mean.h"
#include "filter/refine.h"
#include "filter/weights.h"
#include "image/colour.h"
#include "learn/early_features.h"
#include "learn/label_map.h"
#include "learn/model.h"
#include "learn/part.h"

/* What is filtered, and how. */
typedef struct CofiFilterJob {
    const CofImage *in, *out; /* complete */
    const CofImage *guide; /* source of the labels, or the labels themselves; complete. NULL: in */
    const CofiEarlyFeatures *early; /* of the first rows of `in`; NULL: none */
    const CofPart *known; /* `in` is its image, whose labels have been found; NULL: not yet */
    CofRect part;         /* of the full image, to be written */
    int window, iterations;
    int fidelity;               /* rounds of residual correction */
    CofiRefinement *refinement; /* that a device can do after the passes; NULL: none */
    int members;                /* palettes, whose results are averaged */
    int labels;                 /* of the largest palette */
    bool host_only;             /* needs what a device does not have: a matte */
    double detail;              /* share of the removed detail that is added back */
    double sigma;
    CofBorder border;
    CofSpace space;
    CofMethod method;
    double accuracy;
} CofiFilterJob;

/* The memory of one thread. */
typedef struct CofiFilterWorker {
    void *line_memory;
    size_t line_bytes;
    int line_radius, line_width; /* for which line_memory was zeroed; 0: for none */
    CofiLineBuffer lines;
    CofiFast *fast; /* of each member that is filtered in a pass */
    unsigned char *fast_memory[COF_MAX_PALETTES];
    double seconds[COFI_STAGES];
    size_t row_width;    /* pixels of the widest row of a tile; of these: */
    uint8_t *has_weight; /* some neighbour had a weight */
    float *values;       /* for each band */
    float *columns;      /* as in CofiTaps; rows of `column_stride` */
    bool columns_zeroed;
    CofiPaletteMean mean; /* of one row of a tile, of members that are filtered together */
} CofiFilterWorker;

/* The weights of a palette. */
typedef struct CofiFilterMember {
    CofiWeights weights;
    CofiGreyWeights grey;           /* without a matrix if the input is not 8-bit grey */
    CofiLowRank *low_rank;          /* NULL: the fast filter is not possible */
    const CofModel *low_rank_model; /* whose approximation it is; the next one is another object */
    CofiFastFactors factors;
    void *factor_memory;
} CofiFilterMember;

/* Of planes: those that a pass reads, those that it writes, and those that are kept for the
 * residual correction. */
#define COFI_PLANE_SETS 3

/* A single pass goes from samples to samples. Several passes keep working values in planes between
 * them. The last pass stores its rows itself, unless it is not known to be the last: then the
 * planes are stored after it. */
typedef struct CofiFilter {
    CofiCall *call;
    CofiFilterJob job;
    CofiColour colour;
    CofRect view; /* of the full image: the part and the pixels that it depends on */
    int radius, bands;
    int reach; /* how far one pass looks: at least the radius */
    CofiFastPlan plan;
    bool lab;          /* bands are Lab, else samples */
    int passes;        /* of the member in work, so far */
    int passes_before; /* that an earlier filter of the same call has reported */
    float *sets[COFI_PLANE_SETS][COF_MAX_BANDS]; /* working values, as large as `view` */
    int latest;       /* the set that holds the result of the last pass; -1: it is the input */
    int kept;         /* the set that holds the result so far, of a residual correction; -1: none */
    bool residual;    /* the next pass reads the input less the latest values */
    bool correcting;  /* the next pass adds the values that are kept */
    bool direct;      /* the last pass stores its rows */
    uint8_t *changed; /* 1 if a pass has changed the pixel; as large as `view`. NULL if there is
                         only one */
    bool together;    /* a single pass filters with all members, row by row, so that they share what
                         is loaded and no sums of whole images are needed */
    CofiFilterMember *members;                /* of those that are filtered in a pass */
    CofiPaletteMean mean;                     /* of members that are filtered one after the other */
    uint8_t *labels;                          /* of the member in work */
    uint8_t *member_labels[COF_MAX_PALETTES]; /* of each member */
    CofiPackedLab packed;                     /* Lab of 8-bit RGB, from labelling; NULL: not kept */
    bool is_packed;                           /* `packed` is filled */
    CofImage result; /* output of the last pass: `out`, or a copy of the part */
    CofiFilterWorker *workers;
    ptrdiff_t column_stride;
    float *matte; /* share of a pixel that is kept, 0..1; as large as `view`. NULL: none */
    double *changes, *valid_counts; /* by row of the part and column of tiles */
    CofiDeviceImage *device;        /* on which the filter runs; NULL: on the CPU */
    bool is_sent;                   /* the device has the input */
    bool is_stale;                  /* its working values are those of another member */
    bool has_alphas;                /* on the device */
    uint8_t *device_valid;          /* where there is data, unless the device knows it; or NULL */
    double device_pixels;           /* of the part: those with data; 0: not counted yet */
} CofiFilter;

/* Units of progress of a pass; labelling and storing are worth 1 each. */
#define COFI_PASS_UNITS 10.0

/* How far a pass with these options looks. */
int cofi_filter_reach(CofMethod method, double accuracy, int window, double sigma);

/* All passes of a job, with those over residuals. */
int cofi_filter_job_passes(int iterations, int fidelity);

/* Plans a job: the first step of opening it, which takes no memory. */
void cofi_filter_plan(CofiFilter *filter, CofiCall *call, const CofiFilterJob *job);

/* Takes all memory, so that no pass fails for want of it. What a device holds is freed with
 * cofi_device_filter_close(), also after a failure. */
CofStatus cofi_filter_open(CofiFilter *filter, CofiCall *call, const CofiFilterJob *job);

/* Back to the input, and to the labels of a member. */
void cofi_filter_restart(CofiFilter *filter, int member);

/* A set of planes whose values are not needed. */
int cofi_filter_free_set(const CofiFilter *filter);

/* What a pass reads; the largest width of its tiles. */
CofiSource cofi_filter_source(const CofiFilter *filter);
int cofi_filter_tile_width(const CofiFilter *filter, bool fast);

/* A rectangle of the full image in coordinates of the view. */
static inline CofRect cofi_filter_in_view(const CofiFilter *filter, CofRect rect)
{
    rect.x -= filter->view.x;
    rect.y -= filter->view.y;
    return rect;
}

/* The scratch for sums of columns, which is zeroed when a thread first needs it. */
float *cofi_filter_columns(const CofiFilter *filter, CofiFilterWorker *worker);

/* The number of members that are filtered in a pass: all, or 1. */
int cofi_filter_pass_members(const CofiFilter *filter);

/* Is the fast filter good enough and cheaper with this model? If so, low_rank is filled in. */
bool cofi_filter_choose_fast(const CofiFilter *filter, CofiFilterMember *member,
                             const CofModel *model);

#endif
