/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations on frames. */
#include "frei0r_frame.h"

#include <string.h>

#include "frei0r_parameters.h"

/* Pixels that are tested before the loop may exit early: an inner loop without an exit can be
 * vectorised. */
#define BLOCK 4096

/* The bits of the alpha byte, in the byte order of this machine. */
static uint32_t alpha_bits(void)
{
    static const uint8_t bytes[4] = {0, 0, 0, 255};
    uint32_t bits;
    memcpy(&bits, bytes, sizeof bits);
    return bits;
}

bool frame_is_opaque(const uint8_t *frame, size_t pixels)
{
    const uint32_t alpha = alpha_bits();
    for (size_t start = 0; start < pixels; start += BLOCK) {
        size_t n = pixels - start < BLOCK ? pixels - start : BLOCK;
        uint32_t common = alpha;
        for (size_t i = start; i < start + n; i++) {
            uint32_t pixel; /* hosts may pass unaligned frames */
            memcpy(&pixel, frame + 4 * i, sizeof pixel);
            common &= pixel;
        }
        if (common != alpha)
            return false;
    }
    return true;
}

CofImage frame_view(const uint8_t *frame, int width, int height, bool alpha)
{
    return (CofImage){.data = (uint8_t *)frame, /* the library writes only to outputs */
                      .width = width,
                      .height = height,
                      .channels = alpha ? 4 : 3,
                      .kind = alpha ? COF_KIND_RGBA : COF_KIND_RGB,
                      .sample = COF_SAMPLE_U8,
                      .row_stride = (ptrdiff_t)width * 4,
                      .pixel_stride = 4};
}

void frame_make_opaque(uint8_t *frame, size_t pixels)
{
    const uint32_t alpha = alpha_bits();
    for (size_t i = 0; i < pixels; i++) {
        uint32_t pixel;
        memcpy(&pixel, frame + 4 * i, sizeof pixel);
        pixel |= alpha;
        memcpy(frame + 4 * i, &pixel, sizeof pixel);
    }
}

void frame_mark(uint8_t *frame, int width, int height)
{
    int smaller = width < height ? width : height, border = (smaller + 15) / 16;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            bool inside = x >= border && x < width - border && y >= border && y < height - border;
            if (inside)
                continue;
            uint8_t red = (x + y) / border % 2 == 0 ? 255 : 0;
            memcpy(frame + 4 * ((size_t)y * (size_t)width + (size_t)x),
                   (const uint8_t[4]){red, 0, 0, 255}, 4);
        }
}
