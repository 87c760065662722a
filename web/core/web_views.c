/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and regions of interest as JavaScript writes them. */
#include "web_views.h"

#include <stdbool.h>
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

/* Pixels that are checked before they are converted: they stay in the first-level cache. */
#define BLOCK 4096

static void *address(int32_t word)
{
    return (void *)(uintptr_t)(uint32_t)word;
}

/* Four pixels at a time; none without SIMD. The functions return how many are done. Four pixels
 * without alpha are three quarters of a vector; the rest is overwritten next, or beyond the last.
 */
#if defined(__wasm_simd128__)
static size_t find_opaque(const uint8_t *rgba, size_t n, bool *opaque)
{
    v128_t all = wasm_i32x4_const_splat(-1);
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        all = wasm_v128_and(all, wasm_v128_load(rgba + 4 * i));
    v128_t others = wasm_i32x4_const_splat(0xffffff);
    *opaque =
        wasm_i32x4_all_true(wasm_i32x4_eq(wasm_v128_or(all, others), wasm_i32x4_const_splat(-1)));
    return i;
}

/* `rgb` may be the address of `rgba`, or lower. */
static size_t remove_alpha(const uint8_t *rgba, size_t n, uint8_t *rgb)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        v128_t four = wasm_v128_load(rgba + 4 * i);
        wasm_v128_store(rgb + 3 * i, wasm_i8x16_shuffle(four, four, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12,
                                                        13, 14, 15, 15, 15, 15));
    }
    return i;
}

/* From the last pixel on; returns how many are left. */
static size_t add_alpha(uint8_t *pixels, size_t n)
{
    v128_t alpha = wasm_i8x16_const_splat(-1);
    for (; n >= 4; n -= 4) {
        v128_t four = wasm_v128_load(pixels + 3 * (n - 4));
        wasm_v128_store(pixels + 4 * (n - 4), wasm_i8x16_shuffle(four, alpha, 0, 1, 2, 16, 3, 4, 5,
                                                                 16, 6, 7, 8, 16, 9, 10, 11, 16));
    }
    return n;
}
#else
static size_t find_opaque(const uint8_t *rgba, size_t n, bool *opaque)
{
    (void)rgba, (void)n;
    *opaque = true;
    return 0;
}

static size_t remove_alpha(const uint8_t *rgba, size_t n, uint8_t *rgb)
{
    (void)rgba, (void)n, (void)rgb;
    return 0;
}

static size_t add_alpha(uint8_t *pixels, size_t n)
{
    (void)pixels;
    return n;
}
#endif

static bool is_opaque(const uint8_t *rgba, size_t n)
{
    bool opaque;
    for (size_t i = find_opaque(rgba, n, &opaque); i < n && opaque; i++)
        opaque = rgba[4 * i + 3] == 255;
    return opaque;
}

static void convert_block(const uint8_t *rgba, size_t n, uint8_t *rgb)
{
    for (size_t i = remove_alpha(rgba, n, rgb); i < n; i++) {
        uint8_t red = rgba[4 * i], green = rgba[4 * i + 1], blue = rgba[4 * i + 2];
        rgb[3 * i] = red;
        rgb[3 * i + 1] = green;
        rgb[3 * i + 2] = blue;
    }
}

int web_rgba_to_rgb(uint8_t *pixels, size_t n)
{
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        if (!is_opaque(pixels + 4 * first, count)) {
            web_rgb_to_rgba(pixels, first);
            return 0;
        }
        convert_block(pixels + 4 * first, count, pixels + 3 * first);
    }
    return 1;
}

void web_rgb_to_rgba(uint8_t *pixels, size_t n)
{
    for (size_t i = add_alpha(pixels, n); i-- > 0;) {
        uint8_t red = pixels[3 * i], green = pixels[3 * i + 1], blue = pixels[3 * i + 2];
        pixels[4 * i] = red;
        pixels[4 * i + 1] = green;
        pixels[4 * i + 2] = blue;
        pixels[4 * i + 3] = 255;
    }
}

const CofImage *web_view(const WebImage *image, CofImage *view)
{
    if (!image)
        return NULL;
    *view = (CofImage){.data = address(image->data),
                       .valid = address(image->valid),
                       .width = image->width,
                       .height = image->height,
                       .channels = image->channels,
                       .kind = (CofKind)image->kind,
                       .sample = (CofSample)image->sample,
                       .x = image->x,
                       .y = image->y,
                       .full_width = image->full_width,
                       .full_height = image->full_height};
    return view;
}

const CofRoi *web_roi(const WebRoi *words, CofRoi *roi, CofImage *mask)
{
    if (!words)
        return NULL;
    *roi = (CofRoi){.region = words->region,
                    .part = words->part,
                    .mask = web_view(address(words->mask), mask),
                    .downscaled = words->downscaled};
    return roi;
}
