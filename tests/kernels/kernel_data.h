/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks of the kernels share: levels, random numbers, memory that ends where it must. No
 * test library: they also run where there is nothing but a libc. */
#ifndef KERNEL_DATA_H
#define KERNEL_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* The levels that this machine has, C first. */
typedef struct Level {
    const char *name;
    CofiKernels kernels;
} Level;

#define MAX_LEVELS 8

int levels_here(Level levels[MAX_LEVELS]);

/* Says what is being done: printed when an expectation fails, or a page is touched that must not
 * be. */
__attribute__((format(printf, 1, 2))) void checking(const char *format, ...);
void expect(bool truth, const char *what);
int failures(void);

/* Random numbers that are the same in every run. */
typedef struct Random {
    uint64_t state;
} Random;

uint32_t random_below(Random *random, uint32_t n);
float random_between(Random *random, float low, float high);

/* Memory between two pages that cannot be touched: it ends at the second, or begins at the first.
 * release() makes all of it free again. explain_crashes() prints what is being done if such a page
 * is touched. Systems without pages have another file of these functions. */
typedef enum Wall { WALL_AFTER, WALL_BEFORE } Wall;

void *guarded(size_t bytes, Wall wall);
void release(void);
void explain_crashes(const char *activity);

/* Whether a masked load of AVX faults for lanes that its mask excludes. No processor does this, but
 * QEMU 7.2 loads all lanes. A kernel that the compiler vectorises with masked loads then needs
 * readable memory after its input. */
bool masked_loads_fault(void);

/* Bytes with a margin on both sides that untouched() finds unchanged. */
void *fenced(size_t bytes);
bool untouched(const void *memory, size_t bytes);

/* What the filter reads of one row of pixels. */
typedef struct Scene {
    CofiTaps taps;
    int n; /* pixels */
} Scene;

typedef struct SceneOptions {
    int k, side, bands, n;
    float largest;       /* value */
    bool flat;           /* all values are the largest */
    float weakest;       /* entry of the matrix but 0 */
    bool gaps;           /* alphas of 0 and of fractions, else of 1 */
    bool empty;          /* many zeros in the matrix, and rows of nothing else */
    int period;          /* columns after which all repeats; 0: never */
    uint32_t repetition; /* of 256 pixels, so many have the label of their left neighbour */
    bool bytes;          /* values of 0..largest, alphas of 1: `plain` */
} SceneOptions;

Scene make_scene(Random *random, SceneOptions options, Wall wall);

#endif
