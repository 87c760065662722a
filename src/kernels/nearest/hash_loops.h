/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds pixels with a small hash, in a loop that compilers vectorise. Each level includes this file
 * after it has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 *     HASH_LOOP      optional: a pragma for the loop
 */
#include "base/arithmetic.h"
#include "kernels/kernels.h"

void LEVEL(cofi_hash_row)(int x, int y, int n, uint64_t ceiling, uint8_t *restrict small)
{
#ifdef HASH_LOOP
    HASH_LOOP
#endif
    for (int i = 0; i < n; i++)
        small[i] = cofi_place_hash(x + i, y) <= ceiling;
}
