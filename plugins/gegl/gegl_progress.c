/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of libcof, as GEGL tells it. The library calls back on the thread that called it, which
 * is that of GEGL, so nothing need be locked. */
#include "gegl_progress.h"

/* A host draws at each step, which costs more than a row of pixels. */
#define MIN_STEP 0.02

static void report(GeglProgress *p, double progress)
{
    p->reported = progress;
    gegl_operation_progress(p->operation, progress, (gchar *)p->what);
}

/* Each call counts from 0 to 1. */
static int on_progress(void *user, double done)
{
    GeglProgress *p = user;
    if (done < p->done && p->call + 1 < p->calls)
        p->call++;
    p->done = done;
    double part = (p->call + done) / p->calls;
    double progress = p->from + (p->to - p->from) * part;
    /* 1 is the end, which comes last and once. */
    if (progress >= p->reported + MIN_STEP && progress < 1)
        report(p, progress);
    return 0;
}

void gegl_progress_begin(GeglProgress *p, const char *what, double from, double to, int calls,
                         CofOptions *options)
{
    *p = (GeglProgress){
        .operation = p->operation, .what = what, .from = from, .to = to, .calls = calls};
    report(p, from);
    options->progress = on_progress;
    options->user = p;
}

void gegl_progress_end(GeglProgress *p)
{
    if (p->what)
        report(p, 1);
}
