/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the progress of libcof to GEGL. */
#ifndef COF_GEGL_PROGRESS_H
#define COF_GEGL_PROGRESS_H

#include <gegl-plugin.h>

#include "cof/cof.h"

typedef struct GeglProgress {
    GeglOperation *operation;
    double reported; /* 0..1, the value reported last */
    const char *what;
    double from, to; /* range of this stage in the whole progress */
    double done;     /* progress of the current call */
    int call, calls; /* index of the current call, number of calls */
} GeglProgress;

/* Starts the stage `what`: `calls` library calls with these options take the progress from `from`
 * to `to`. */
void gegl_progress_begin(GeglProgress *progress, const char *what, double from, double to,
                         int calls, CofOptions *options);

/* Reports the end, also after a failure, so that the host removes its progress bar. */
void gegl_progress_end(GeglProgress *progress);

#endif
