/* SPDX-License-Identifier: BSD-2-Clause */
/* Views of the caller's pixels: checking them, rectangles, rows of samples in and out. */
#ifndef COF_IMAGE_H
#define COF_IMAGE_H

#include <stdbool.h>

#include "cof/cof.h"

/* Checks a view and completes it: no stride, step, plane or full size is 0 afterwards. NULL, or
 * what is wrong with it. */
const char *cofi_image_complete(const CofImage *image, CofImage *complete);

/* The same for a mask or labels: grey U8, as large as `like`. COF_ERR_MISMATCH if the size differs.
 */
CofStatus cofi_bytes_complete(const CofImage *image, const CofImage *like, CofImage *complete,
                              const char **problem);

/* Does a complete view lie where another one does? One that says nothing of its place does. */
bool cofi_same_place(const CofImage *image, const CofImage *like);

/* Do complete views share memory? Those that interleave do. */
bool cofi_images_overlap(const CofImage *a, const CofImage *b);

/* The kind without alpha, and the number of channels without it. */
CofKind cofi_family(CofKind kind);
int cofi_bands(const CofImage *image);
bool cofi_has_alpha(const CofImage *image);
size_t cofi_sample_size(CofSample sample);
double cofi_sample_max(CofSample sample); /* of U8 and U16; 1 for F32 */

/* Some pixels may be invalid, now or while learning. */
bool cofi_may_have_gaps(const CofImage *image);

/* Rectangles in coordinates of the full image. */
CofRect cofi_full_rect(const CofImage *image);
CofRect cofi_view_rect(const CofImage *image);
bool cofi_rect_empty(CofRect rect);
CofRect cofi_rect_intersect(CofRect a, CofRect b);
CofRect cofi_rect_grow(CofRect rect, int margin, CofRect within);
bool cofi_rect_holds(CofRect outer, CofRect inner);

/* The pixel at view coordinates (x, y). */
unsigned char *cofi_pixel(const CofImage *image, int x, int y);

/* Pixels x..x+n-1 of row y, in coordinates of the view. Values have the units of the samples; what
 * is not finite is loaded as 0. */
void cofi_load_row(const CofImage *image, int channel, int x, int y, int n, float *values);

/* Clears valid[i] where the pixel has no data or is not finite. */
void cofi_valid_row(const CofImage *image, int x, int y, int n, uint8_t *valid);

/* Clears keep[i] where the byte image is 0. */
void cofi_mask_row(const CofImage *mask, int x, int y, int n, uint8_t *keep);

/* Stores one channel: integers are clamped and rounded to nearest. */
void cofi_store_row(const CofImage *image, int channel, int x, int y, int n, const float *values);

/* Copies one channel's bytes from a view of the same sample type where skip[i] is not set (skip
 * NULL: everywhere). */
void cofi_copy_row(const CofImage *from, int from_x, int from_y, const CofImage *to, int to_x,
                   int to_y, int channel, int n, const uint8_t *skip);

#endif
