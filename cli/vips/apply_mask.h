/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the filtered image only where a mask says. */
#ifndef COF_APPLY_MASK_H
#define COF_APPLY_MASK_H

#include <stdbool.h>
#include <vips/vips.h>

/* Where the mask is white, *out is `after`, where it is black, `before`, and in between a mixture
 * of the samples of both. All have one size. *out is unref'd by the caller. Returns false with
 * libvips' error set on failure. */
bool apply_mask(VipsImage *mask, VipsImage *before, VipsImage *after, VipsImage **out);

#endif
