/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in every memory layout, whose padding must never be written to. */
#ifndef COF_FUZZ_GUARDED_IMAGE_H
#define COF_FUZZ_GUARDED_IMAGE_H

#include "cof/cof.h"
#include "input.h"

typedef struct GuardedImage {
    CofImage view;
    unsigned char *block; /* ends with the last sample, so that sanitizers see what lies beyond */
    size_t size;
    uint8_t *valid; /* the view's, or NULL */
} GuardedImage;

/* What the bits of a layout choose; the rest of the byte chooses the padding. */
enum {
    LAYOUT_PLANAR = 1,
    LAYOUT_UPSIDE_DOWN = 2,
    LAYOUT_MIRRORED = 4,
    LAYOUT_CHANNELS_REVERSED = 8,
    LAYOUT_PADDING = 16
};

/* All samples are 0. Layout 0 is packed, with strides of 0 in the view. */
GuardedImage guarded_new(uint8_t layout, int width, int height, int channels, CofKind kind,
                         CofSample sample);
/* The same pixels and mask of invalid pixels in another layout. */
GuardedImage guarded_copy(const GuardedImage *from, uint8_t layout);
void guarded_free(GuardedImage *image);

unsigned char *guarded_sample(const GuardedImage *image, int x, int y, int channel);
void guarded_set(GuardedImage *image, int x, int y, int channel, float value);
/* Fills pixels from the input, or with noise and patches; F32 gets values without NaN unless
 * `any_float`. */
void guarded_fill(GuardedImage *image, Input *input, bool any_float);
void guarded_add_gaps(GuardedImage *image, Input *input);

bool guarded_equal(const GuardedImage *a, const GuardedImage *b);
/* Whether all samples are finite; true for integers. */
bool guarded_finite(const GuardedImage *image);
/* Fails if a byte that belongs to no sample was written to. */
void guarded_check_padding(const GuardedImage *image);

/* The view of a rectangle, with its position in the full image. */
CofImage guarded_part(const GuardedImage *image, CofRect rect);

#endif
