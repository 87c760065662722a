/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of a call of libcof, as libvips tells it. */
#include "vips_watch.h"

static int tell(void *user, double done)
{
    Watch *watch = user;
    VipsProgress *p = &watch->progress;
    p->run = (int)g_timer_elapsed(p->start, NULL);
    p->percent = (int)(100 * done);
    p->npels = (gint64)(done * (double)p->tpels);
    p->eta = done > 0.1 ? (int)(p->run * (1 - done) / done) : 0;
    if (watch->image->progress_signal)
        g_signal_emit_by_name(watch->image->progress_signal, "eval", p);
    return vips_image_iskilled(watch->image) != FALSE;
}

void watch_begin(Watch *watch, VipsImage *image, CofOptions *options)
{
    *watch = (Watch){.image = image};
    watch->progress = (VipsProgress){
        .im = image, .start = g_timer_new(), .tpels = (gint64)image->Xsize * image->Ysize};
    if (!image->progress_signal)
        return;
    g_signal_emit_by_name(image->progress_signal, "preeval", &watch->progress);
    options->progress = tell;
    options->user = watch;
}

void watch_end(Watch *watch)
{
    if (watch->image->progress_signal)
        g_signal_emit_by_name(watch->image->progress_signal, "posteval", &watch->progress);
    g_timer_destroy(watch->progress.start);
}
