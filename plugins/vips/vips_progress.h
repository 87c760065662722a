/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the progress of a libcof call as that of a libvips image. */
#ifndef COF_VIPS_PROGRESS_H
#define COF_VIPS_PROGRESS_H

#include <vips/vips.h>

#include "cof/cof.h"

typedef struct ImageProgress {
    VipsImage *image;
    VipsProgress progress;
} ImageProgress;

/* Between begin and end, a call with these options emits progress signals of the image, and is
 * cancelled when the image is killed. */
void image_progress_begin(ImageProgress *progress, VipsImage *image, CofOptions *options);
void image_progress_end(ImageProgress *progress);

#endif
