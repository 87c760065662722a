/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of a call of libcof, as libvips tells it. */
#ifndef COF_VIPS_PROGRESS_H
#define COF_VIPS_PROGRESS_H

#include <vips/vips.h>

#include "cof/cof.h"

typedef struct ImageProgress {
    VipsImage *image;
    VipsProgress progress;
} ImageProgress;

/* Between both, a call with these options tells its progress as that of the image, and ends when
 * the image is killed. */
void image_progress_begin(ImageProgress *progress, VipsImage *image, CofOptions *options);
void image_progress_end(ImageProgress *progress);

#endif
