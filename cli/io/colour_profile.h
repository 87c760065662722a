/* SPDX-License-Identifier: BSD-2-Clause */
/* ICC profiles of images. */
#ifndef COF_COLOUR_PROFILE_H
#define COF_COLOUR_PROFILE_H

#include <stdbool.h>
#include <vips/vips.h>

/* Whether an RGB image of 8 or 16 bits has a profile that libvips can apply and that differs from
 * sRGB. */
bool profile_is_foreign(VipsImage *image);

/* These two functions return NULL with libvips' error set on failure; unref'd by the caller. */

/* The image in sRGB with 16 bits. */
VipsImage *profile_to_srgb(VipsImage *image);

/* An sRGB image of 16 bits in the profile and sample type of `like`. */
VipsImage *profile_from_srgb(VipsImage *image, VipsImage *like);

#endif
