/* SPDX-License-Identifier: BSD-2-Clause */
/* One pass of the filter: tiles are tasks, and each is filtered row by row. */
#include "filter/filter_pass.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "filter/device_passes.h"
#include "filter/exact_rows.h"
#include "filter/filter_store.h"
#include "filter/pass_change.h"
#include "filter/tile_rows.h"
#include "image/image.h"
#include "options/options.h"

/* One row in so many is timed, since only the proportions of the stages are needed. A prime above
 * COFI_MAX_STEP, because the work of the fast filter comes back after a step of the grid. */
#define TIMED_ROWS 17

typedef CofiFilterWorker Worker;

typedef struct Pass {
    CofiFilter *filter;
    CofiSource source;
    int members; /* that are filtered together; else 1 */
    CofiExact exact[COF_MAX_PALETTES];
    bool fast[COF_MAX_PALETTES], any_fast;
    bool stores;  /* the pass stores its rows */
    int to;       /* else the set of planes that it writes to */
    CofRect rect; /* in coordinates of the view */
    CofRect part; /* in coordinates of the view: where change is measured */
    int tile_width, tile_rows, columns, rows;
    int start_cost; /* of a tile elsewhere, in tiles */
    bool measured;
    double units[COF_MAX_BANDS];
} Pass;

/* Pixels that the fast filter marks as unreliable are filtered exactly, except those without data,
 * whose results are not used: a large gap would make the fast filter slow. */
static void filter_row_fast(const CofiExact *exact, CofiFast *fast, Worker *worker, int y,
                            float *const *values)
{
    const CofiLineBuffer *lines = &worker->lines;
    uint8_t *marks = worker->has_weight;
    cofi_fast_row(fast, y, values, marks);
    const uint8_t *valid = cofi_line_buffer_valid(lines, 0, y);
    for (int i = 0, n = lines->tile.width; i < n;) {
        const uint8_t *mark = memchr(marks + i, 1, (size_t)(n - i));
        int first = mark ? (int)(mark - marks) : n;
        memset(marks + i, 1, (size_t)(first - i));
        for (i = first; i < n && marks[i] && !(valid && !valid[i]);)
            i++;
        if (i > first)
            cofi_exact_pixels(exact, worker, y, first, i - first, values);
        else if (i < n)
            marks[i++] = 1;
    }
}

/* Blends the old values in by the matte, so that the foreground stays as it is. */
static void keep_foreground(const Pass *pass, Worker *worker, int y, float *const *values)
{
    const CofiFilter *f = pass->filter;
    const CofiLineBuffer *lines = &worker->lines;
    const float *matte = f->matte + (ptrdiff_t)y * f->view.width + lines->tile.x;
    int n = lines->tile.width;
    for (int band = 0; band < f->bands; band++) {
        const float *old = cofi_line_buffer_band(lines, band, 0, y);
        for (int i = 0; i < n; i++)
            values[band][i] = matte[i] * old[i] + (1 - matte[i]) * values[band][i];
    }
    for (int i = 0; i < n; i++)
        worker->has_weight[i] &= matte[i] < 1;
}

/* Filters row y of a tile. Pixels without data, and those without weights, keep their values. */
static void filter_tile_row(const Pass *pass, Worker *worker, int member, int y,
                            float *const *values)
{
    const CofiLineBuffer *lines = &worker->lines;
    int n = lines->tile.width, bands = pass->filter->bands;
    cofi_line_buffer_choose(&worker->lines, member);
    if (pass->fast[member])
        filter_row_fast(&pass->exact[member], &worker->fast[member], worker, y, values);
    else
        cofi_exact_row(&pass->exact[member], worker, y, values);
    const uint8_t *valid = cofi_line_buffer_valid(lines, 0, y);
    for (int i = 0; valid && i < n; i++)
        worker->has_weight[i] &= valid[i];
    if (pass->filter->matte)
        keep_foreground(pass, worker, y, values);
    if (!memchr(worker->has_weight, 0, (size_t)n))
        return;
    for (int band = 0; band < bands; band++) {
        const float *old = cofi_line_buffer_band(lines, band, 0, y);
        for (int i = 0; i < n; i++)
            if (!worker->has_weight[i])
                values[band][i] = old[i];
    }
}

/* In single precision; in double precision if that overflows. */
static double squared_difference(const CofiKernels *kernels, const float *a, const float *b, int n)
{
    double total = kernels->difference(a, b, n);
    if (isfinite(total))
        return total;
    total = 0;
    for (int i = 0; i < n; i++)
        total += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return total;
}

/* Adds the change of a row inside the part, and counts its valid pixels, which are the same for all
 * members. */
static void add_change(const Pass *pass, const Worker *worker, int y, float *const *values,
                       double *change, double *valid)
{
    const CofiLineBuffer *lines = &worker->lines;
    CofRect both = cofi_rect_intersect(lines->tile, pass->part);
    if (y < both.y || y >= both.y + both.height)
        return;
    int x = both.x - lines->tile.x;
    const uint8_t *valid_counts = cofi_line_buffer_valid(lines, x, y);
    *valid = both.width;
    for (int i = 0; valid_counts && i < both.width; i++)
        *valid -= !valid_counts[i];
    for (int band = 0; band < pass->filter->bands; band++) {
        const float *old = cofi_line_buffer_band(lines, band, x, y);
        double squares =
            squared_difference(&pass->filter->colour.kernels, values[band] + x, old, both.width);
        *change += squares * pass->units[band] * pass->units[band];
    }
}

/* Tiles are numbered from top to bottom, column by column. */
static CofRect tile_at(const Pass *pass, int index)
{
    int column = index / pass->rows, row = index % pass->rows;
    CofRect tile = {pass->rect.x + column * pass->tile_width, pass->rect.y + row * pass->tile_rows,
                    pass->tile_width, pass->tile_rows};
    return cofi_rect_intersect(tile, pass->rect);
}

/* Adds the result so far to what is left of its residual. */
static void add_kept(const Pass *pass, const Worker *worker, int y, float *const *values)
{
    const CofiFilter *f = pass->filter;
    ptrdiff_t at = (ptrdiff_t)y * f->view.width + worker->lines.tile.x;
    for (int band = 0; band < f->bands && f->correcting; band++) {
        const float *restrict kept = f->sets[f->kept][band] + at;
        float *restrict row = values[band];
        for (int i = 0, n = worker->lines.tile.width; i < n; i++)
            row[i] = cofi_to_finite(row[i] + kept[i]);
    }
}

static void add_flags(uint8_t *restrict flags, const uint8_t *restrict others, int n)
{
    for (int i = 0; i < n; i++)
        flags[i] |= others[i];
}

/* Joins the pixels that this pass has changed with those that earlier ones have: in `has_weight`
 * for the last pass, else for the next one. */
static void join_changed(const Pass *pass, const Worker *worker, int y)
{
    const CofiFilter *f = pass->filter;
    CofRect tile = worker->lines.tile;
    if (!f->changed)
        return;
    uint8_t *changed = f->changed + (ptrdiff_t)y * f->view.width + tile.x;
    if (f->passes > 0)
        add_flags(worker->has_weight, changed, tile.width);
    if (!pass->stores)
        memcpy(changed, worker->has_weight, (size_t)tile.width);
}

/* Stores a row of the last pass, once it is that of the last palette. */
static void store_row(const Pass *pass, Worker *worker, int member, int y, float *const *values)
{
    const CofiFilter *f = pass->filter;
    CofRect tile = worker->lines.tile;
    worker->mean.member = member;
    const CofiPaletteMean *mean = f->together ? &worker->mean : &f->mean;
    int x = f->together ? 0 : tile.x - pass->part.x, row = f->together ? 0 : y - pass->part.y;
    cofi_palette_mean_row(mean, x, row, tile.width, values, worker->has_weight);
    if (cofi_palette_mean_is_last(mean))
        cofi_filter_store_row(f, &f->result, tile.x, y, tile.width, values, worker->has_weight);
}

/* Starts a tile; false if it continues below the last tile of this thread. */
static bool start_tile(const Pass *pass, Worker *worker, CofRect tile)
{
    CofiFilter *f = pass->filter;
    CofRect last = worker->lines.tile;
    bool follows = worker->lines.source && last.x == tile.x && last.y + last.height == tile.y;
    if (follows) {
        worker->lines.tile = tile;
        return false;
    }
    int radius = pass->any_fast ? f->plan.radius : f->radius;
    if (worker->line_radius != radius || worker->line_width != pass->tile_width) {
        memset(worker->line_memory, 0, worker->line_bytes);
        memset(worker->has_weight, 0, worker->row_width);
        memset(worker->values, 0, worker->row_width * (size_t)f->bands * sizeof *worker->values);
    }
    worker->line_radius = radius;
    worker->line_width = pass->tile_width;
    cofi_line_buffer_start(&worker->lines, worker->line_memory, &pass->source, radius,
                           pass->tile_width, tile);
    for (int i = 0; i < pass->members; i++)
        if (pass->fast[i])
            cofi_fast_start(&worker->fast[i], worker->fast_memory[i], &f->plan,
                            &f->members[i].factors, &f->colour.kernels, &worker->lines);
    return true;
}

/* Where row y of a tile is filtered to. */
static void result_rows(const Pass *pass, const Worker *worker, int y, float *values[])
{
    const CofiFilter *f = pass->filter;
    ptrdiff_t at = (ptrdiff_t)y * f->view.width + worker->lines.tile.x;
    for (int band = 0; band < f->bands; band++)
        values[band] = pass->stores ? worker->values + (ptrdiff_t)band * pass->tile_width
                                    : f->sets[pass->to][band] + at;
}

/* Adds the time since the last stage ended to this one. Only some rows are timed, and each of these
 * counts `weight` times. */
static void end_stage(const Pass *pass, Worker *worker, CofStage stage, double weight, double *last)
{
    double time = weight > 0 ? cofi_call_clock(pass->filter->call) : 0;
    worker->seconds[stage] += weight * (time - *last);
    *last = time;
}

/* Filters row y of a tile with all members, and keeps or stores it. */
static void pass_row(const Pass *pass, Worker *worker, int y, double weight, double *change,
                     double *valid)
{
    float *values[COF_MAX_BANDS];
    double last = weight > 0 ? cofi_call_clock(pass->filter->call) : 0;
    result_rows(pass, worker, y, values);
    cofi_line_buffer_move(&worker->lines, y);
    cofi_line_buffer_prefetch(&worker->lines, 0);
    end_stage(pass, worker, COF_STAGE_COLOUR, weight, &last);
    for (int i = 0; i < pass->members; i++) {
        filter_tile_row(pass, worker, i, y, values);
        if (pass->measured)
            add_change(pass, worker, y, values, change, valid);
        end_stage(pass, worker, COF_STAGE_FILTER, weight, &last);
        if (i == 0)
            cofi_line_buffer_prefetch(&worker->lines, 1);
        add_kept(pass, worker, y, values);
        join_changed(pass, worker, y);
        if (pass->stores)
            store_row(pass, worker, i, y, values);
        end_stage(pass, worker, COF_STAGE_STORE, weight, &last);
    }
    cofi_line_buffer_prefetch(&worker->lines, 2);
}

static void pass_tile(void *context, int index, int worker_index)
{
    const Pass *pass = context;
    CofiFilter *f = pass->filter;
    Worker *worker = &f->workers[worker_index];
    CofRect tile = tile_at(pass, index);
    int full_row = start_tile(pass, worker, tile) ? tile.y : -1;
    for (int y = tile.y; y < tile.y + tile.height; y++) {
        /* The first row of a tile may load many rows, so it is always timed and counts once. */
        double weight = y == full_row ? 1 : y % TIMED_ROWS == 0 ? TIMED_ROWS : 0;
        double change = 0, valid = 0;
        pass_row(pass, worker, y, weight, &change, &valid);
        int row = y - pass->part.y;
        if (pass->measured && row >= 0 && row < pass->part.height) {
            f->changes[row * pass->columns + index / pass->rows] = change;
            f->valid_counts[row * pass->columns + index / pass->rows] = valid;
        }
    }
}

/* The mean over the valid values of the part. */
static double mean_change(const CofiFilter *f, size_t n)
{
    double sum = 0, valid_counts = 0;
    for (size_t i = 0; i < n; i++) {
        sum += f->changes[i];
        valid_counts += f->valid_counts[i];
    }
    return valid_counts > 0 ? sum / (valid_counts * f->bands) : 0;
}

/* Divides the time of the pass among the stages, in the proportions that the threads have measured.
 */
static void report_stages(CofiFilter *f)
{
    double seconds[COFI_STAGES] = {0};
    for (int i = 0; i < f->call->threads; i++)
        for (int stage = 0; stage < COFI_STAGES; stage++) {
            seconds[stage] += f->workers[i].seconds[stage];
            f->workers[i].seconds[stage] = 0;
        }
    cofi_call_split(f->call, seconds);
}

/* NULL: the exact method. */
static void report_method(const CofiFilter *f, const CofiLowRank *fast)
{
    CofReport *report = f->call->options.report;
    if (COFI_REPORT_HAS(report, fast_terms))
        report->fast_terms = fast ? fast->ranks : 0;
    if (COFI_REPORT_HAS(report, fast_cell))
        report->fast_cell = fast ? f->plan.grid.step : 0;
}

/* Chooses the method of each member. */
static void start_members(Pass *pass, const CofModel *const *models)
{
    const CofiFilter *f = pass->filter;
    for (int i = 0; i < pass->members; i++) {
        CofiFilterMember *member = &f->members[i];
        pass->fast[i] = cofi_filter_choose_fast(f, member, models[i]);
        pass->any_fast |= pass->fast[i];
        if (pass->fast[i])
            cofi_fast_fill_factors(&member->factors, member->factor_memory, &f->plan,
                                   member->low_rank, &f->colour.kernels);
        /* Members that are filtered together with exact grey can use its labels. */
        bool values = !pass->fast[i] && models[0]->palette.type == COFI_PALETTE_EXACT &&
                      cofi_exact_has_values(f, member, models[i]);
        if (values)
            pass->source.labels[i] = pass->source.labels[0];
        pass->exact[i] = cofi_exact_start(f, member, models[i], values);
    }
    int last = pass->members - 1;
    report_method(f, pass->fast[last] ? f->members[last].low_rank : NULL);
}

/* If a member is filtered fast, the tiles are those of the fast filter. */
static void divide_into_tiles(Pass *pass)
{
    const CofiFilter *f = pass->filter;
    pass->tile_width = cofi_filter_tile_width(f, pass->any_fast);
    pass->columns = (pass->rect.width - 1) / pass->tile_width + 1;
    CofiTiles tiles = {.threads = f->call->threads,
                       .width = pass->tile_width,
                       .columns = pass->columns,
                       .height = pass->rect.height,
                       .window = pass->any_fast ? 0 : f->job.window,
                       .values = (1 + f->bands) * pass->members};
    pass->tile_rows = cofi_tile_rows(&tiles);
    pass->start_cost = cofi_tile_start_cost(&tiles);
    pass->rows = (pass->rect.height - 1) / pass->tile_rows + 1;
}

CofStatus cofi_filter_pass(CofiFilter *f, const CofModel *const *models, int left, double *change)
{
    assert(left >= 0);
    assert(f->labels);
    cofi_call_stage(f->call, COF_STAGE_FILTER);
    CofRect rect = cofi_rect_grow(f->job.part, f->reach * left, cofi_full_rect(f->job.in));
    if (f->device) {
        CofiFilterMember *member = &f->members[0];
        bool fast = cofi_filter_choose_fast(f, member, models[0]);
        report_method(f, fast ? member->low_rank : NULL);
        return cofi_device_filter_pass(f, models[0], rect, fast, change);
    }
    Pass pass = {.filter = f,
                 .source = cofi_filter_source(f),
                 .members = cofi_filter_pass_members(f),
                 .stores = f->direct && left == 0,
                 .to = cofi_filter_free_set(f),
                 .rect = cofi_filter_in_view(f, rect),
                 .part = cofi_filter_in_view(f, f->job.part),
                 .measured = cofi_pass_is_measured(f)};
    start_members(&pass, models);
    divide_into_tiles(&pass);
    for (int band = 0; band < f->bands; band++)
        pass.units[band] = cofi_pass_unit(f, band);
    for (int i = 0; i < f->call->threads; i++)
        f->workers[i].lines.source = NULL; /* tiles do not continue those of the last pass */
    CofStatus status =
        cofi_call_consecutive_tasks(f->call, pass.columns * pass.rows, pass.start_cost,
                                    pass.members * COFI_PASS_UNITS, pass_tile, &pass);
    report_stages(f);
    if (status != COF_OK)
        return status;
    f->latest = pass.stores ? f->latest : pass.to;
    f->kept = f->correcting ? -1 : f->kept;
    f->residual = f->correcting = false;
    f->passes++;
    size_t n = (size_t)f->job.part.height * (size_t)pass.columns;
    *change = pass.measured ? mean_change(f, n) : 0;
    return COF_OK;
}
