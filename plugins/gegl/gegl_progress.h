/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of libcof, as GEGL tells it. */
#ifndef COF_GEGL_PROGRESS_H
#define COF_GEGL_PROGRESS_H

#include <gegl-plugin.h>

#include "cof/cof.h"

typedef struct GeglProgress {
    GeglOperation *operation;
    double reported; /* 0..1, the last that the host heard */
    const char *what;
    double from, to; /* the share of what is done now */
    double done;     /* of the present call */
    int call, calls; /* how many calls it takes */
} GeglProgress;

/* What comes next is called `what`, takes the progress from `from` to `to` and is done by so many
 * calls that get these options. */
void gegl_progress_begin(GeglProgress *progress, const char *what, double from, double to,
                         int calls, CofOptions *options);

/* All is done, or given up: the host's bar goes. */
void gegl_progress_end(GeglProgress *progress);

#endif
