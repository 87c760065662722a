/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the progress of libcof to GEGL. libcof calls back on the calling thread, so no lock is
 * needed. */
#include "gegl_progress.h"

/* Hosts redraw at each report, so reports are at least this far apart. */
#define MIN_STEP 0.02

static void report(GeglProgress *p, double progress)
{
    p->reported = progress;
    gegl_operation_progress(p->operation, progress, (gchar *)p->what);
}

/* `done` runs from 0 to 1 in each call of the library. */
static int on_progress(void *user, double done)
{
    GeglProgress *p = user;
    if (done < p->done && p->call + 1 < p->calls)
        p->call++;
    p->done = done;
    double part = (p->call + done) / p->calls;
    double progress = p->from + (p->to - p->from) * part;
    /* Only gegl_progress_end() reports 1. */
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
