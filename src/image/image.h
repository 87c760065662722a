/* SPDX-License-Identifier: BSD-2-Clause */
/* Views of the caller's pixels: checks, rectangles, loading and storing rows. */
#ifndef COF_IMAGE_H
#define COF_IMAGE_H

#include <stdbool.h>

#include "cof/cof.h"

/* Checks a view and fills in strides and sizes that are 0. Returns NULL, or the problem. */
const char *cofi_image_complete(const CofImage *image, CofImage *complete);

/* Checks and completes a mask or labels: grey U8, as large as `like`. COF_ERR_MISMATCH if the size
 * or place differs. */
CofStatus cofi_bytes_complete(const CofImage *image, const CofImage *like, CofImage *complete,
                              const char **problem);

/* A complete view of packed bytes. */
CofImage cofi_packed_bytes(uint8_t *bytes, int width, int height);

/* Do two complete views lie at the same place? A view without a place lies anywhere. */
bool cofi_same_place(const CofImage *image, const CofImage *like);

/* Do the address ranges of complete views overlap? Interleaved views overlap. */
bool cofi_images_overlap(const CofImage *a, const CofImage *b);

/* The kind without alpha, and the number of channels without it. */
CofKind cofi_family(CofKind kind);
int cofi_bands(const CofImage *image);
bool cofi_has_alpha(const CofImage *image);
size_t cofi_sample_size(CofSample sample);
double cofi_sample_max(CofSample sample); /* largest sample; 1 for F32 */

/* May some pixels have no data, or an alpha below 1? */
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

/* Loads pixels x..x+n-1 of row y, in coordinates of the view. Values keep the units of the samples;
 * those that are not finite become 0. */
void cofi_load_row(const CofImage *image, int channel, int x, int y, int n, float *values);

/* Clears valid[i] where the pixel has no data or is not finite. */
void cofi_valid_row(const CofImage *image, int x, int y, int n, uint8_t *valid);

/* Clears keep[i] where the byte image is 0. */
void cofi_mask_row(const CofImage *mask, int x, int y, int n, uint8_t *keep);

/* Rounds values to nearest, and clamps them. */
void cofi_round_to_bytes(const float *values, int n, uint8_t *bytes);

/* Stores one channel: integers are clamped and rounded to nearest. */
void cofi_store_row(const CofImage *image, int channel, int x, int y, int n, const float *values);

/* Copies one channel byte for byte, between views of one sample type, where skip[i] is 0 (NULL:
 * everywhere). */
void cofi_copy_row(const CofImage *from, int from_x, int from_y, const CofImage *to, int to_x,
                   int to_y, int channel, int n, const uint8_t *skip);

#endif
