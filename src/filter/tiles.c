/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters an image; if it is too large for the memory of a device, tile by tile. */
#include "filter/tiles.h"

#include <assert.h>

#include "filter/device_filter.h"
#include "filter/filter_store.h"
#include "image/device_image.h"
#include "image/image.h"

/* The changes of all passes, which are means over the pixels of a tile. */
typedef struct Changes {
    double sums[COF_REPORT_PASSES], pixels;
    int before, passes; /* that earlier filters, and the tiles, have reported */
} Changes;

/* Each tile reports its passes in the same place. */
static void start_tile(const Changes *changes, CofReport *report)
{
    if (report)
        report->passes = changes->before;
}

static void end_tile(Changes *changes, const CofReport *report, double pixels)
{
    changes->pixels += pixels;
    if (!report)
        return;
    changes->passes = report->passes;
    for (int i = changes->before; i < changes->passes && i < COF_REPORT_PASSES; i++)
        changes->sums[i] += report->change[i] * pixels;
}

static void report_changes(const Changes *changes, CofReport *report)
{
    if (!report)
        return;
    report->passes = changes->passes;
    for (int i = changes->before; i < changes->passes && i < COF_REPORT_PASSES; i++)
        report->change[i] = changes->pixels > 0 ? changes->sums[i] / changes->pixels : 0;
}

/* Filters a tile of the result, and refines it: on the device, unless its memory is not sufficient
 * now. */
static CofStatus filter_tile(CofiCall *call, const CofiFilterImages *images, const CofImage *result,
                             CofRect tile, double *pixels)
{
    CofiFilterImages tiled = *images;
    if (!images->refinement) {
        tiled.out = result;
        return cofi_filter_tile(call, &tiled, tile, pixels);
    }
    CofiRefinement refinement = *images->refinement;
    CofImage out = *result;
    out.data = cofi_pixel(result, 0, tile.y - result->y);
    out.y = tile.y;
    out.height = tile.height;
    refinement.out = &out;
    tiled.refinement = &refinement;
    CofRect full = cofi_full_rect(images->in), part = cofi_rect_grow(tile, refinement.radius, full);
    CofStatus status = cofi_filter_tile(call, &tiled, part, pixels);
    return status == COF_OK && !refinement.done
               ? cofi_refine(call, &refinement, images->in, NULL, &out)
               : status;
}

/* So many rows at a time, each with the margin that its passes need. The output is written once all
 * tiles are filtered, since they read the same margins, and so that it is untouched if one fails.
 */
static CofStatus filter_tiles(CofiCall *call, const CofiFilterImages *images, CofRect part,
                              int rows)
{
    CofReport *report = call->options.report;
    Changes changes = {.before = report ? report->passes : 0};
    CofiRefinement *refinement = images->refinement;
    const CofImage *out = refinement ? refinement->out : images->out;
    CofImage result;
    double unit_scale = call->unit_scale;
    CofiMark all = cofi_call_mark(call);
    part = refinement ? cofi_view_rect(out) : part;
    CofStatus status = cofi_take_result(call, out, part, &result);
    for (int y = 0; y < part.height && status == COF_OK; y += rows) {
        CofiMark mark = cofi_call_mark(call);
        CofRect tile = part;
        double pixels;
        tile.y += y;
        tile.height = part.height - y < rows ? part.height - y : rows;
        call->unit_scale = unit_scale * tile.height / part.height;
        start_tile(&changes, report);
        status = filter_tile(call, images, &result, tile, &pixels);
        end_tile(&changes, report, pixels);
        cofi_call_release(call, mark);
    }
    call->unit_scale = unit_scale;
    report_changes(&changes, report);
    cofi_call_stage(call, COF_STAGE_STORE);
    if (status == COF_OK)
        cofi_copy_result(call, &result, out, 0);
    if (refinement)
        refinement->done = status == COF_OK;
    cofi_call_release(call, all);
    return status;
}

/* Tiles are worth their margins as long as these are not more than twice as high, on each side. */
#define MAX_MARGIN_RATIO 2

int cofi_filter_tile_rows(CofiCall *call, const CofiFilterJob *job)
{
    CofiFilter f = {.call = call, .job = *job};
    int height = job->part.height;
    if (!call->device || cofi_device_refuses(call, job->in))
        return height;
    int64_t pixels = cofi_device_filter_max_pixels(&f);
    if (pixels >= (int64_t)job->in->full_width * job->in->full_height)
        return height;
    cofi_filter_plan(&f, call, job);
    bool is_whole = call->options.tolerance > 0 && job->iterations > 1; /* the change decides */
    int passes = cofi_filter_job_passes(job->iterations, job->fidelity);
    int refined = job->refinement ? job->refinement->radius : 0;
    int64_t margin = f.reach * passes + refined, rows = pixels / f.view.width - 2 * margin;
    if (is_whole || cofi_device_filter_refuses(&f) ||
        pixels >= (int64_t)f.view.width * f.view.height || rows < 1 ||
        MAX_MARGIN_RATIO * rows < margin)
        return height;
    int tiles = (int)((height - 1) / rows) + 1;
    return (height - 1) / tiles + 1; /* all of about the same height */
}

CofStatus cofi_filter_images(CofiCall *call, const CofiFilterImages *images, CofRect part)
{
    assert(images->model && images->in && images->out);
    assert(!images->only_matte || images->foreground);
    CofiFilterJob job = cofi_filter_images_job(call, images, part);
    int rows = cofi_filter_tile_rows(call, &job);
    double pixels;
    return rows < part.height ? filter_tiles(call, images, part, rows)
                              : cofi_filter_tile(call, images, part, &pixels);
}
