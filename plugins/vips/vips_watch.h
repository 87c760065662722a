/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of a call of libcof, as libvips tells it. */
#ifndef COF_VIPS_WATCH_H
#define COF_VIPS_WATCH_H

#include <vips/vips.h>

#include "cof/cof.h"

typedef struct Watch {
    VipsImage *image;
    VipsProgress progress;
} Watch;

/* Between both, a call with these options tells its progress as that of the image, and ends when
 * the image is killed. */
void watch_begin(Watch *watch, VipsImage *image, CofOptions *options);
void watch_end(Watch *watch);

#endif
