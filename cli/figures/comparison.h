/* SPDX-License-Identifier: BSD-2-Clause */
/* Images that compare an image before and after filtering. */
#ifndef COF_COMPARISON_H
#define COF_COMPARISON_H

#include <stdbool.h>
#include <vips/vips.h>

/* Both return NULL with libvips' error set on failure. */

/* The difference, around middle grey. */
VipsImage *residual_image(VipsImage *before, VipsImage *after);

/* Both images side by side, with captions; wide images are stacked. */
VipsImage *side_by_side_image(VipsImage *before, VipsImage *after);

/* Saves and unrefs an image of the functions above. Prints an error on failure, or if the image is
 * NULL. */
bool comparison_save(VipsImage *image, const char *name, VipsImage *input);

#endif
