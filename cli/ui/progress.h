/* SPDX-License-Identifier: BSD-2-Clause */
/* A progress bar on the terminal. */
#ifndef COF_PROGRESS_H
#define COF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <vips/vips.h>

#include "cof/cof.h"

/* What is done with a file. */
typedef enum ProgressStage {
    PROGRESS_LEARNING,
    PROGRESS_FILTERING,
    PROGRESS_WRITING,
    PROGRESS_SELECTING,
    PROGRESS_SMOOTHING /* the background */
} ProgressStage;

/* Enables the bar if standard error is a terminal and `quiet` is false. */
void progress_init(bool quiet);

/* Shows the progress of computing an image with libvips. */
void progress_watch_image(VipsImage *image, ProgressStage stage, const char *name);

/* Shows the progress of calls of libcof with these options. */
void progress_watch_call(CofOptions *options, ProgressStage stage, const char *name);

/* From now on the bar shows how much of all files is done. Each file is processed by one thread,
 * which calls progress_file_done() at its end. */
void progress_begin_files(int all);
void progress_file_done(void);

/* Shows how many frames of a video are done; `all` is 0 if their number is unknown. */
void progress_frames(int64_t done, int64_t all);

/* Erases the bar before other text; it may appear again. */
void progress_erase(void);

/* Erases the bar at the end of a stage, or of several files. */
void progress_end(void);

#endif
