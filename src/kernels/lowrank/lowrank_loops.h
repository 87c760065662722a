/* SPDX-License-Identifier: BSD-2-Clause */
/* Splats, blurs and slices a row of the fast filter. A vector holds sums of one cell, so the
 * factors of a label are consecutive. Each level includes this file after its vectors and after it
 * has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 *     TRANSPOSE      if the level has its own transpose(), with vectors of four values
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/inline.h"
#include "kernels/kernels.h"

/* Whether there are loops for four to seven bands, besides those for one, for three and for any
 * number. Images of browsers have no more than three, and WebAssembly is downloaded. */
#if defined(__wasm__)
#define FOR_EIGHT 0
#else
#define FOR_EIGHT 1
#endif

/* Four values of a pixel, or two and zeros if it has no more. */
typedef float Four __attribute__((vector_size(16)));

INLINE Four four_at(const float *values, int spread)
{
    Four four = {0};
    memcpy(&four, values, spread > 2 ? sizeof four : sizeof four / 2);
    return four;
}

INLINE void set_four(float *values, Four four, int spread)
{
    memcpy(values, &four, spread > 2 ? sizeof four : sizeof four / 2);
}

#include "kernels/lowrank/blur_loops.h"
#include "kernels/lowrank/slice_loops.h"
#include "kernels/lowrank/splat_loops.h"
