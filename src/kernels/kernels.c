/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the kernels for a processor: C first, better levels overwrite. */
#include "kernels/kernels.h"

#include "base/cpu.h"

CofiKernels cofi_kernels(unsigned flags)
{
    CofiKernels kernels = {
        .lab_from_linear = cofi_lab_from_linear_c,
        .lab_from_samples = cofi_lab_from_samples_c,
        .lab_from_bytes = cofi_lab_from_bytes_c,
        .decode_row = cofi_decode_row_c,
        .rgb_from_lab = cofi_rgb_from_lab_c,
        .bytes_from_lab = cofi_bytes_from_lab_c,
        .pack_lab = cofi_pack_lab_c,
        .unpack_lab = cofi_unpack_lab_c,
        .nearest = cofi_nearest_c,
        .shrink = cofi_shrink_c,
        .difference = cofi_difference_c,
        .hash_row = cofi_hash_row_c,
        .count_row = cofi_count_row_c,
        .filter_row = cofi_filter_row_c,
        .splat_row = cofi_splat_row_c,
        .blur_rows = cofi_blur_rows_c,
        .slice_rows = cofi_slice_rows_c,
        .divide_row = cofi_divide_row_c,
        .cell = 4,
    };
    (void)flags; /* some processors have no level but C */
#if defined(__x86_64__)
    if (flags & COFI_CPU_AVX2) {
        kernels.lab_from_linear = cofi_lab_from_linear_avx2;
        kernels.lab_from_samples = cofi_lab_from_samples_avx2;
        kernels.lab_from_bytes = cofi_lab_from_bytes_avx2;
        kernels.decode_row = cofi_decode_row_avx2;
        kernels.rgb_from_lab = cofi_rgb_from_lab_avx2;
        kernels.bytes_from_lab = cofi_bytes_from_lab_avx2;
        kernels.pack_lab = cofi_pack_lab_avx2;
        kernels.unpack_lab = cofi_unpack_lab_avx2;
        kernels.splat_row = cofi_splat_row_avx2;
        kernels.blur_rows = cofi_blur_rows_avx2;
        kernels.slice_rows = cofi_slice_rows_avx2;
        kernels.divide_row = cofi_divide_row_avx2;
        kernels.cell = 8;
        kernels.nearest = cofi_nearest_avx2;
        kernels.shrink = cofi_shrink_avx2;
        kernels.difference = cofi_difference_avx2;
        kernels.hash_row = cofi_hash_row_avx2;
        kernels.count_row = cofi_count_row_avx2;
        kernels.filter_row = cofi_filter_row_avx2;
    }
    if (flags & COFI_CPU_AVX512) {
        kernels.lab_from_linear = cofi_lab_from_linear_avx512;
        kernels.lab_from_samples = cofi_lab_from_samples_avx512;
        kernels.lab_from_bytes = cofi_lab_from_bytes_avx512;
        kernels.decode_row = cofi_decode_row_avx512;
        kernels.rgb_from_lab = cofi_rgb_from_lab_avx512;
        kernels.bytes_from_lab = cofi_bytes_from_lab_avx512;
        kernels.pack_lab = cofi_pack_lab_avx512;
        kernels.unpack_lab = cofi_unpack_lab_avx512;
        kernels.splat_row = cofi_splat_row_avx512;
        kernels.blur_rows = cofi_blur_rows_avx512;
        kernels.slice_rows = cofi_slice_rows_avx512;
        kernels.divide_row = cofi_divide_row_avx512;
        kernels.cell = 16;
        kernels.nearest = cofi_nearest_avx512;
        kernels.shrink = cofi_shrink_avx512;
        kernels.difference = cofi_difference_avx512;
        kernels.hash_row = cofi_hash_row_avx512;
        kernels.count_row = cofi_count_row_avx512;
        kernels.filter_row = cofi_filter_row_avx512;
    }
    if (flags & COFI_CPU_VBMI)
        kernels.filter_row = cofi_filter_row_vbmi;
#elif defined(__aarch64__)
    if (flags & COFI_CPU_NEON) {
        kernels.nearest = cofi_nearest_neon;
        kernels.shrink = cofi_shrink_neon;
        kernels.difference = cofi_difference_neon;
        kernels.hash_row = cofi_hash_row_neon;
        kernels.count_row = cofi_count_row_neon;
        kernels.filter_row = cofi_filter_row_neon;
        kernels.splat_row = cofi_splat_row_neon;
        kernels.blur_rows = cofi_blur_rows_neon;
        kernels.slice_rows = cofi_slice_rows_neon;
        kernels.divide_row = cofi_divide_row_neon;
        kernels.cell = 4;
    }
#elif defined(__wasm_simd128__)
    if (flags & COFI_CPU_WASM) {
        kernels.nearest = cofi_nearest_wasm;
        kernels.shrink = cofi_shrink_wasm;
        kernels.difference = cofi_difference_wasm;
        kernels.hash_row = cofi_hash_row_wasm;
        kernels.count_row = cofi_count_row_wasm;
        kernels.filter_row = cofi_filter_row_wasm;
        kernels.splat_row = cofi_splat_row_wasm;
        kernels.blur_rows = cofi_blur_rows_wasm;
        kernels.slice_rows = cofi_slice_rows_wasm;
        kernels.divide_row = cofi_divide_row_wasm;
        kernels.cell = 4;
    }
#endif
    return kernels;
}
