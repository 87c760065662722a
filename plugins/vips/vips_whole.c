/* SPDX-License-Identifier: BSD-2-Clause */
/* Learning from images in memory, which libcof reduces first. A part of an image cannot be reduced
 * without its neighbours. */
#include "vips_whole.h"

#include "vips_watch.h"

typedef CofStatus Call(CofStats *stats, const CofImage *image, const CofWhere *where,
                       const CofOptions *options);

static int learn(const Lesson *lesson, VipsImage *pixels, VipsImage *mask, CofStats *stats,
                 const CofOptions *options, const char *operation, Call *call)
{
    const Pixels bytes = {.kind = COF_GREY, .sample = COF_U8};
    CofImage view = pixels_whole(&lesson->pixels, pixels), mask_view;
    CofWhere where = {.region = lesson->region};
    if (mask) {
        mask_view = pixels_whole(&bytes, mask);
        where.mask = &mask_view;
    }
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    Watch watch;
    watch_begin(&watch, lesson->watched, &own);
    CofStatus status = call(stats, &view, &where, &own);
    watch_end(&watch);
    run_report_add(lesson->run, &report, 0);
    return status == COF_OK ? 0 : stream_fail(operation, status, &report);
}

static int read_and_learn(const Lesson *lesson, CofStats *stats, const CofOptions *options,
                          const char *operation, Call *call)
{
    VipsImage *pixels = vips_image_copy_memory(lesson->pixels.image);
    VipsImage *mask = pixels && lesson->mask ? vips_image_copy_memory(lesson->mask) : NULL;
    bool read = pixels && (mask || !lesson->mask);
    int failed = read ? learn(lesson, pixels, mask, stats, options, operation, call) : -1;
    VIPS_UNREF(pixels);
    VIPS_UNREF(mask);
    return failed;
}

int whole_scan(const Lesson *lesson, CofStats *stats, const CofOptions *options,
               const char *operation)
{
    return read_and_learn(lesson, stats, options, operation, cof_stats_scan);
}

int whole_count(const Lesson *lesson, CofStats *stats, const CofOptions *options,
                const char *operation)
{
    return read_and_learn(lesson, stats, options, operation, cof_stats_add);
}
