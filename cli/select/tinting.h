/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in another colour. */
#ifndef COF_TINTING_H
#define COF_TINTING_H

#include "select/loaded_image.h"

/* A copy of source->memory in the hue of a colour, which is sRGB, 0..1, whatever the profile of the
 * image is; unref'd by the caller. The chroma is that of the colour, or in proportion to the mean
 * chroma of `object`, a mask, if it is not NULL. Prints an error about `name` and returns NULL on
 * failure. */
VipsImage *tinted_image(const LoadedImage *source, const double colour[3], VipsImage *object,
                        const CofOptions *options, const char *name);

#endif
