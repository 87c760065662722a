/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the progress of a libcof call as that of a libvips image. */
#include "vips_progress.h"

static int on_progress(void *user, double done)
{
    ImageProgress *progress = user;
    VipsProgress *p = &progress->progress;
    p->run = (int)g_timer_elapsed(p->start, NULL);
    p->percent = (int)(100 * done);
    p->npels = (gint64)(done * (double)p->tpels);
    p->eta = done > 0.1 ? (int)(p->run * (1 - done) / done) : 0;
    if (progress->image->progress_signal)
        g_signal_emit_by_name(progress->image->progress_signal, "eval", p);
    return vips_image_iskilled(progress->image) != FALSE;
}

void image_progress_begin(ImageProgress *progress, VipsImage *image, CofOptions *options)
{
    *progress = (ImageProgress){.image = image};
    progress->progress = (VipsProgress){
        .im = image, .start = g_timer_new(), .tpels = (gint64)image->Xsize * image->Ysize};
    if (!image->progress_signal)
        return;
    g_signal_emit_by_name(image->progress_signal, "preeval", &progress->progress);
    options->progress = on_progress;
    options->user = progress;
}

void image_progress_end(ImageProgress *progress)
{
    if (progress->image->progress_signal)
        g_signal_emit_by_name(progress->image->progress_signal, "posteval", &progress->progress);
    g_timer_destroy(progress->progress.start);
}
