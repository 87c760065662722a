/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the kernels for a processor: C first, better levels overwrite. COFI_BEST_LEVEL_ONLY
 * leaves out C where there is a better level that always works. */
#include "kernels/kernels.h"

#include "base/cpu.h"

/* The kernels of colour at a level. */
#define USE_LAB(kernels, LEVEL) \
    do { \
        (kernels)->lab_from_linear = cofi_lab_from_linear_##LEVEL; \
        (kernels)->lab_from_samples = cofi_lab_from_samples_##LEVEL; \
        (kernels)->lab_from_bytes = cofi_lab_from_bytes_##LEVEL; \
        (kernels)->decode_row = cofi_decode_row_##LEVEL; \
        (kernels)->rgb_from_lab = cofi_rgb_from_lab_##LEVEL; \
        (kernels)->bytes_from_lab = cofi_bytes_from_lab_##LEVEL; \
        (kernels)->pack_lab = cofi_pack_lab_##LEVEL; \
        (kernels)->unpack_lab = cofi_unpack_lab_##LEVEL; \
    } while (0)

/* All others that every level has. CELL as in CofiKernels. */
#define USE_COMMON(kernels, LEVEL, CELL) \
    do { \
        (kernels)->nearest = cofi_nearest_##LEVEL; \
        (kernels)->nearest_rows = cofi_nearest_rows_##LEVEL; \
        (kernels)->shrink = cofi_shrink_##LEVEL; \
        (kernels)->gain = cofi_gain_##LEVEL; \
        (kernels)->difference = cofi_difference_##LEVEL; \
        (kernels)->hash_row = cofi_hash_row_##LEVEL; \
        (kernels)->count_row = cofi_count_row_##LEVEL; \
        (kernels)->filter_row = cofi_filter_row_##LEVEL; \
        (kernels)->splat_row = cofi_splat_row_##LEVEL; \
        (kernels)->blur_rows = cofi_blur_rows_##LEVEL; \
        (kernels)->slice_rows = cofi_slice_rows_##LEVEL; \
        (kernels)->divide_row = cofi_divide_row_##LEVEL; \
        (kernels)->cell = (CELL); \
    } while (0)

/* Those of refinement. Their vectors in C are also those of NEON and WebAssembly. */
#define USE_REFINE(kernels, LEVEL) \
    do { \
        (kernels)->fit_row = cofi_fit_row_##LEVEL; \
        (kernels)->mix_rows = cofi_mix_rows_##LEVEL; \
        (kernels)->apply_row = cofi_apply_row_##LEVEL; \
    } while (0)

CofiKernels cofi_kernels(unsigned flags)
{
    CofiKernels kernels = {0};
    USE_REFINE(&kernels, c);
#if !defined(COFI_BEST_LEVEL_ONLY)
    USE_LAB(&kernels, c);
    USE_COMMON(&kernels, c, 4);
#endif
    (void)flags; /* some processors have no level but C */
#if defined(__x86_64__)
    if (flags & COFI_CPU_AVX2) {
        USE_LAB(&kernels, avx2);
        USE_COMMON(&kernels, avx2, 8);
        USE_REFINE(&kernels, avx2);
        kernels.grey_row = cofi_grey_row_avx2;
    }
    if (flags & COFI_CPU_AVX512) {
        USE_LAB(&kernels, avx512);
        USE_COMMON(&kernels, avx512, 16);
        USE_REFINE(&kernels, avx512);
        kernels.grey_row = cofi_grey_row_avx512;
    }
    if (flags & COFI_CPU_VBMI) {
        kernels.filter_row = cofi_filter_row_vbmi;
        kernels.grey_row = cofi_grey_row_vbmi;
    }
#elif defined(__aarch64__)
    if (flags & COFI_CPU_NEON) {
        USE_LAB(&kernels, neon);
        USE_COMMON(&kernels, neon, 4);
        kernels.grey_row = cofi_grey_row_neon;
    }
#elif defined(__wasm_simd128__)
    if (flags & COFI_CPU_WASM) {
        USE_LAB(&kernels, wasm);
        USE_COMMON(&kernels, wasm, 4);
    }
#endif
    return kernels;
}
