/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the kernels: C first, better levels overwrite. */
#include "kernels.h"

CofiKernels cofi_kernels(void)
{
    CofiKernels kernels = {
        .lab_from_linear = cofi_lab_from_linear_c,
        .rgb_from_lab = cofi_rgb_from_lab_c,
        .nearest = cofi_nearest_c,
        .count_pairs = cofi_count_pairs_c,
        .count_places = cofi_count_places_c,
        .filter_row = cofi_filter_row_c,
    };
    return kernels;
}
