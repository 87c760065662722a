/* SPDX-License-Identifier: BSD-2-Clause */
/* What scanning has found, and the palette that follows from it. */
#ifndef COF_SCAN_H
#define COF_SCAN_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "learn/bottom_k.h"
#include "learn/palette.h"

/* The options that are fixed when a CofStats is made. */
typedef struct CofiLearning {
    int colours, levels, palettes, window, downscale;
    double low, high;
    CofSampling sampling;
    uint64_t seed;
} CofiLearning;

/* The largest number of samples that a scan keeps, of all images. */
#define COFI_MAX_SAMPLES ((size_t)1 << 16)

/* What scanning has seen. */
typedef struct CofiScan {
    bool known; /* an image was scanned; all others must match: */
    CofKind family;
    CofSample sample;
    int bands;
    uint64_t pixels; /* members of the region of interest */
    bool ranged;     /* smallest and largest were seen */
    double smallest, largest;
    CofiSamples samples; /* on the grid */
    CofiSamples reserve; /* off the grid, for images with many gaps */
} CofiScan;

void cofi_scan_init(CofiScan *scan, const CofiLearning *learning, int bands);
void cofi_scan_free(CofiScan *scan);

/* Where the grid has fewer samples than this, the reserve is used. */
size_t cofi_scan_enough(const CofiLearning *learning);

/* The largest number of samples of one image. */
size_t cofi_scan_most(const CofiLearning *learning);

/* COF_ERR_MISMATCH if the scans are of different kinds of images. On failure nothing changes. */
CofStatus cofi_scan_merge(CofiScan *scan, const CofiLearning *learning, const CofiScan *from);

/* The same, and leaves `from` empty, or as it is after a failure. The first scan is not copied. */
CofStatus cofi_scan_take(CofiScan *scan, const CofiLearning *learning, CofiScan *from);

/* Is the palette for images of the kind that was scanned? True if nothing was. */
bool cofi_scan_fits(const CofiScan *scan, const CofiPalette *palette);

/* The palette of all that was scanned; COF_ERR_EMPTY if nothing was. */
CofStatus cofi_scan_palette(CofiScan *scan, const CofiLearning *learning, CofiCall *call,
                            CofiPalette *palette);

#endif
