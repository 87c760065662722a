/* SPDX-License-Identifier: BSD-2-Clause */
/* How far things are, on a terminal. */
#ifndef COF_PROGRESS_H
#define COF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <vips/vips.h>

#include "cof/cof.h"

/* From now on progress is shown, if standard error is a terminal. */
void progress_begin(bool quiet);

/* Shows how far the work on an image is, whenever it goes on. */
void progress_watch(VipsImage *image, const char *name);

/* Shows how far calls of libcof with these options are. */
void progress_follow(CofOptions *options, const char *name);

/* Of many files, so many are done. */
void progress_count(int done, int all);

/* Of a film, so many frames are done; all 0: nobody knows how many there are. */
void progress_frames(int64_t done, int64_t all);

/* Wipes the line. */
void progress_end(void);

#endif
