/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of libcof, as GEGL tells it. The library calls back on the thread that called it, which
 * is that of GEGL, so nothing need be locked. */
#include "gegl_progress.h"

/* A host draws at each step, which costs more than a row of pixels. */
#define STEP 0.02

static void tell(Watch *watch, double progress)
{
    watch->told = progress;
    gegl_operation_progress(watch->operation, progress, (gchar *)watch->what);
}

/* Each call counts from 0 to 1. */
static int hear(void *user, double done)
{
    Watch *watch = user;
    if (done < watch->done && watch->call + 1 < watch->calls)
        watch->call++;
    watch->done = done;
    double part = (watch->call + done) / watch->calls;
    double progress = watch->from + (watch->to - watch->from) * part;
    /* 1 is the end, which comes last and once. */
    if (progress >= watch->told + STEP && progress < 1)
        tell(watch, progress);
    return 0;
}

void watch_begin(Watch *watch, const char *what, double from, double to, int calls,
                 CofOptions *options)
{
    *watch = (Watch){
        .operation = watch->operation, .what = what, .from = from, .to = to, .calls = calls};
    tell(watch, from);
    options->progress = hear;
    options->user = watch;
}

void watch_end(Watch *watch)
{
    if (watch->what)
        tell(watch, 1);
}
