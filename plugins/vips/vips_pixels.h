/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts libvips images to the samples that libcof reads, and back. */
#ifndef COF_VIPS_PIXELS_H
#define COF_VIPS_PIXELS_H

#include <stdbool.h>

#include "vips_problem.h"

/* Metadata of an image, a double: pixels with this value hold no data, as nodata_mask() says. They
 * are not counted and not averaged, and stay as they are. NaN and infinity never hold data. */
#define META_NODATA "cof-nodata"

/* Metadata of an image, another one of the same size with one band of bytes: pixels that are 0 in
 * it hold no data. It is used instead of META_NODATA. */
#define META_VALID "cof-valid"

/* Metadata of an image, an int: the BandsKind of its bands, whatever the argument "kind" says. */
#define META_KIND "cof-kind"

/* Metadata: an int, the height of the blocks in which the image is stored. Parts of any width can
 * be read from it at no cost. */
#define META_BLOCK_ROWS "cof-block-rows"

typedef struct Pixels {
    VipsImage *image; /* decoded to 8-bit, 16-bit or float samples */
    VipsImage *valid; /* one byte per pixel, 0: no data; NULL: all pixels are valid */
    CofKind kind;
    CofSample sample;
    bool linear;         /* the input was linear light; image is sRGB-encoded */
    double white, alpha; /* divisors of float colour and alpha */
} Pixels;

/* What the bands of an image mean: the values of the argument "kind". */
typedef enum BandsKind {
    BANDS_AUTO = 0,    /* as the interpretation of the image says */
    BANDS_AS_GREY = 1, /* from here on: CofKind + 1 */
    BANDS_AS_BANDS = COF_KIND_BANDS + 1
} BandsKind;

/* The words of BandsKind, which end with NULL. */
const char *const *pixels_kind_words(void);

/* Adds the argument "kind", a BandsKind that is stored as an int. */
void pixels_add_kind(VipsObjectClass *class, size_t offset, const char *text);

/* Prepares an image for libcof; the caller keeps its reference. Returns 0, or -1 with the libvips
 * error set. `argument` is what the image is to the operation. */
int pixels_open(Pixels *pixels, VipsImage *in, BandsKind kind, const Argument *argument);
/* The same for an image of linear light, which is not encoded: libcof can average it in
 * COF_SPACE_NATIVE, but not label it. */
int pixels_open_linear(Pixels *pixels, VipsImage *in);

void pixels_close(Pixels *pixels);

/* Reverses pixels_open(): *out has the format and interpretation of `in`, and its pixels without
 * data. */
int pixels_restore(const Pixels *pixels, VipsImage *in, VipsImage *filtered, VipsImage **out);

/* One band of bytes: 255 where the image is neither black nor wholly transparent, else 0. */
int pixels_mask(VipsImage *in, VipsImage **out);

/* Large images are processed in parts, others in memory by one multi-threaded call. Both give the
 * same bytes. */
bool pixels_are_large(const VipsImage *image);

/* Whether a large image that is downscaled takes less memory in parts. This depends on the number
 * of threads, each of which works on its own part. */
bool pixels_take_less_in_parts(const VipsImage *image);

/* Views of a region's pixels, or of an image in memory. */
CofImage pixels_view(const Pixels *pixels, VipsRegion *region);
CofImage pixels_whole(const Pixels *pixels, VipsImage *image);

/* A whole image in memory. */
typedef struct PixelMemory {
    VipsImage *pixels, *valid; /* valid NULL: all pixels are */
    CofImage view;
} PixelMemory;

/* Returns 0, or -1 with the libvips error set; to be freed in both cases. */
int pixel_memory_load(PixelMemory *memory, const Pixels *source);
void pixel_memory_free(PixelMemory *memory);

#endif
