/* SPDX-License-Identifier: BSD-2-Clause */
/* What scanning has found: samples for the palette, the range, the number of pixels. All of it is a
 * sum, a minimum, a maximum or a set, so that the order of images and parts does not matter. */
#include "learn/scan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "learn/kmeans.h"

#define SAMPLES_PER_COLOUR 50

/* More samples hardly improve a palette. */
#define MAX_SAMPLES_PER_COLOUR 512
#define MIN_MAX_SAMPLES ((size_t)1 << 14)

/* No real image has more; a corrupt file may claim it. */
#define MAX_PIXELS ((uint64_t)1 << 62)

size_t cofi_scan_enough(const CofiLearning *learning)
{
    return (size_t)learning->colours * SAMPLES_PER_COLOUR;
}

size_t cofi_scan_most(const CofiLearning *learning)
{
    size_t most = (size_t)learning->colours * MAX_SAMPLES_PER_COLOUR;
    most = most < MIN_MAX_SAMPLES ? MIN_MAX_SAMPLES : most;
    return most < COFI_MAX_SAMPLES ? most : COFI_MAX_SAMPLES;
}

void cofi_scan_init(CofiScan *scan, const CofiLearning *learning, int bands)
{
    cofi_samples_init(&scan->samples, bands, COFI_MAX_SAMPLES);
    cofi_samples_init(&scan->reserve, bands, cofi_scan_enough(learning));
}

static bool alike(const CofiScan *a, const CofiScan *b)
{
    return a->family == b->family && a->bands == b->bands &&
           (a->family == COF_KIND_RGB || a->sample == b->sample);
}

bool cofi_scan_fits(const CofiScan *scan, const CofiPalette *palette)
{
    return !scan->known || cofi_palette_is_for(palette, scan->family, scan->bands, scan->sample);
}

/* Joins the samples of two scans in new sets, so that a failure changes nothing. The reserve is
 * left out if the grid has enough samples, however they were scanned: it will never be used. */
static CofStatus join_samples(const CofiLearning *learning, const CofiScan *a, const CofiScan *b,
                              CofiScan *joined)
{
    cofi_scan_init(joined, learning, b->bands);
    CofStatus status = cofi_samples_join(&joined->samples, &a->samples);
    if (status == COF_OK)
        status = cofi_samples_join(&joined->samples, &b->samples);
    bool enough = joined->samples.n >= cofi_scan_enough(learning);
    if (status == COF_OK && !enough)
        status = cofi_samples_join(&joined->reserve, &a->reserve);
    if (status == COF_OK && !enough)
        status = cofi_samples_join(&joined->reserve, &b->reserve);
    if (status != COF_OK)
        cofi_scan_free(joined);
    return status;
}

CofStatus cofi_scan_merge(CofiScan *scan, const CofiLearning *learning, const CofiScan *from)
{
    assert(scan != from);
    CofiScan joined;
    if (!from->known)
        return COF_OK;
    if (scan->known && !alike(scan, from))
        return COF_ERR_MISMATCH;
    if (scan->pixels > MAX_PIXELS - from->pixels)
        return COF_ERR_ARGUMENT;
    CofStatus status = join_samples(learning, scan, from, &joined);
    if (status != COF_OK)
        return status;
    cofi_samples_free(&scan->samples);
    cofi_samples_free(&scan->reserve);
    scan->samples = joined.samples;
    scan->reserve = joined.reserve;
    if (!scan->known || from->sample < scan->sample)
        scan->sample = from->sample; /* RGB palettes do not depend on it, but the result must not
                                        depend on the order */
    scan->known = true;
    scan->family = from->family;
    scan->bands = from->bands;
    scan->pixels += from->pixels;
    if (from->ranged) {
        scan->smallest = scan->ranged ? fmin(scan->smallest, from->smallest) : from->smallest;
        scan->largest = scan->ranged ? fmax(scan->largest, from->largest) : from->largest;
        scan->ranged = true;
    }
    return COF_OK;
}

CofStatus cofi_scan_take(CofiScan *scan, const CofiLearning *learning, CofiScan *from)
{
    if (scan->known || from->samples.n < cofi_scan_enough(learning)) {
        CofStatus status = cofi_scan_merge(scan, learning, from);
        if (status == COF_OK)
            cofi_scan_free(from);
        return status;
    }
    cofi_samples_free(&from->reserve); /* as join_samples() */
    cofi_scan_free(scan);
    *scan = *from;
    cofi_samples_init(&scan->reserve, scan->bands, cofi_scan_enough(learning));
    *from = (CofiScan){0};
    return COF_OK;
}

void cofi_scan_free(CofiScan *scan)
{
    cofi_samples_free(&scan->samples);
    cofi_samples_free(&scan->reserve);
    *scan = (CofiScan){0};
}

static CofStatus grey_palette(const CofiScan *scan, const CofiLearning *learning,
                              CofiPalette *palette)
{
    bool given = learning->low < learning->high;
    if (scan->sample == COF_SAMPLE_U8 && learning->levels == 256 && !given)
        return cofi_palette_exact(palette);
    return cofi_palette_bins(palette, scan->sample, learning->levels,
                             given ? learning->low : scan->smallest,
                             given ? learning->high : scan->largest);
}

/* The samples to cluster: those of the grid, and some of the reserve if they are too few. */
static CofStatus choose_samples(CofiScan *scan, const CofiLearning *learning, CofiCall *call,
                                const float **rows, size_t *n)
{
    CofiSamples *grid = &scan->samples, *reserve = &scan->reserve;
    size_t enough = cofi_scan_enough(learning), width = (size_t)scan->bands;
    /* Only the set of samples matters here, not their order. */
    if ((grid->n > grid->bound && cofi_samples_trim(grid) != COF_OK) ||
        (grid->n < enough && cofi_samples_trim(reserve) != COF_OK))
        return COF_ERR_MEMORY;
    size_t more = grid->n < enough ? enough - grid->n : 0;
    if (more > reserve->n)
        more = reserve->n;
    *n = grid->n + more;
    *rows = grid->rows;
    if (more == 0)
        return COF_OK;
    float *all = cofi_call_take_raw(call, *n, width * sizeof *all);
    if (!all)
        return COF_ERR_MEMORY;
    if (grid->n > 0)
        memcpy(all, grid->rows, grid->n * width * sizeof *all);
    memcpy(all + grid->n * width, reserve->rows, more * width * sizeof *all);
    *rows = all;
    return COF_OK;
}

CofStatus cofi_scan_palette(CofiScan *scan, const CofiLearning *learning, CofiCall *call,
                            CofiPalette *palette)
{
    if (!scan->known)
        return COF_ERR_EMPTY;
    if (scan->family == COF_KIND_GREY)
        return scan->ranged ? grey_palette(scan, learning, palette) : COF_ERR_EMPTY;
    const float *rows;
    size_t n;
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = choose_samples(scan, learning, call, &rows, &n);
    if (status == COF_OK && n == 0)
        status = COF_ERR_EMPTY;
    if (status == COF_OK)
        status = cofi_palette_cluster(palette, call, scan->family, scan->sample, scan->bands, rows,
                                      n, learning->colours, learning->seed);
    cofi_call_release(call, mark);
    return status;
}
