/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter (eq. 11): J_p = sum_q G M(T_p, T_q) I_q / sum_q G M(T_p, T_q). */
#include "filter/filter.h"

#include <assert.h>
#include <string.h>

#include "call/kept.h"
#include "filter/device_filter.h"
#include "filter/filter_store.h"
#include "image/image.h"

static int reach_of(const CofiFastPlan *plan, int window)
{
    return plan->possible && plan->grid.reach > window / 2 ? plan->grid.reach : window / 2;
}

int cofi_filter_reach(CofMethod method, double accuracy, int window, double sigma)
{
    CofiFastPlan plan = {0};
    if (method != COF_METHOD_EXACT)
        cofi_fast_plan(&plan, NULL, window, sigma, accuracy, 1, 1);
    return reach_of(&plan, window);
}

CofiSource cofi_filter_source(const CofiFilter *f)
{
    const CofImage *in = f->job.in, *guide = f->job.guide;
    CofiSource source = {.in = in,
                         .guide = guide,
                         .colour = &f->colour,
                         .rect = f->view,
                         .bands = f->bands,
                         .lab = f->lab,
                         .planes = f->latest >= 0 ? f->sets[f->latest] : NULL,
                         .residual = f->residual,
                         .packed = f->is_packed ? &f->packed : NULL,
                         .n_labels = cofi_filter_pass_members(f),
                         .labels = {f->labels},
                         .gaps = cofi_may_have_gaps(in) || (guide && cofi_may_have_gaps(guide)),
                         .border = f->job.border};
    for (int i = 0; i < source.n_labels && f->together; i++)
        source.labels[i] = f->member_labels[i];
    return source;
}

int cofi_filter_pass_members(const CofiFilter *f)
{
    return f->together ? f->job.members : 1;
}

int cofi_filter_tile_width(const CofiFilter *f, bool fast)
{
    CofiSource source = cofi_filter_source(f);
    return fast ? f->plan.tile_width : cofi_line_buffer_width(&source, f->radius);
}

float *cofi_filter_columns(const CofiFilter *f, CofiFilterWorker *worker)
{
    if (!worker->columns_zeroed)
        memset(worker->columns, 0,
               COFI_COLUMN_ROWS * (size_t)f->column_stride * sizeof *worker->columns);
    worker->columns_zeroed = true;
    return worker->columns;
}

static CofStatus take_fast(CofiFilter *f, CofiFilterWorker *worker)
{
    int n = cofi_filter_pass_members(f);
    worker->fast = cofi_call_take(f->call, (size_t)n, sizeof *worker->fast);
    for (int i = 0; i < n && worker->fast; i++) {
        worker->fast_memory[i] = cofi_call_take_raw(f->call, 1, cofi_fast_size(&f->plan));
        if (!worker->fast_memory[i])
            return COF_ERR_MEMORY;
    }
    return worker->fast ? COF_OK : COF_ERR_MEMORY;
}

static CofStatus take_worker(CofiFilter *f, CofiFilterWorker *worker)
{
    CofiSource source = cofi_filter_source(f);
    bool fast = f->plan.possible;
    size_t width = (size_t)cofi_filter_tile_width(f, false),
           bytes = cofi_line_buffer_size(&source, f->radius, (int)width);
    if (fast) {
        size_t wider = (size_t)cofi_filter_tile_width(f, true);
        size_t more = cofi_line_buffer_size(&source, f->plan.radius, (int)wider);
        width = wider > width ? wider : width;
        bytes = more > bytes ? more : bytes;
    }
    worker->line_memory = cofi_call_take_raw(f->call, 1, bytes);
    worker->line_bytes = bytes;
    worker->row_width = width;
    worker->has_weight = cofi_call_take_raw(f->call, width, sizeof *worker->has_weight);
    worker->values = cofi_call_take_raw(f->call, width * (size_t)f->bands, sizeof *worker->values);
    worker->columns = cofi_call_take_raw(f->call, COFI_COLUMN_ROWS,
                                         (size_t)f->column_stride * sizeof *worker->columns);
    if (!worker->line_memory || !worker->has_weight || !worker->values || !worker->columns)
        return COF_ERR_MEMORY;
    CofStatus status = fast ? take_fast(f, worker) : COF_OK;
    if (status == COF_OK && f->together)
        status =
            cofi_palette_mean_take(&worker->mean, f->call, f->job.members, f->bands, (int)width, 1);
    return status;
}

static CofStatus take_workers(CofiFilter *f)
{
    f->workers = cofi_call_take(f->call, (size_t)f->call->threads, sizeof *f->workers);
    for (int i = 0; f->workers && i < f->call->threads; i++)
        if (take_worker(f, &f->workers[i]) != COF_OK)
            return COF_ERR_MEMORY;
    return f->workers ? COF_OK : COF_ERR_MEMORY;
}

static void *take_plane(CofiFilter *f, size_t size)
{
    size_t row;
    if (!cofi_mul((size_t)f->view.width, size, &row))
        return NULL;
    return cofi_call_take(f->call, (size_t)f->view.height, row);
}

/* A plane that is filled before it is read, so that it need not be zeroed. */
static void *take_raw_plane(CofiFilter *f, size_t size)
{
    size_t row;
    if (!cofi_mul((size_t)f->view.width, size, &row))
        return NULL;
    return cofi_call_take_raw(f->call, (size_t)f->view.height, row);
}

/* Uses the packed Lab of a part if its rows are as wide as those of the view. */
static void use_known_packed(CofiFilter *f)
{
    const CofPart *known = f->job.known;
    if (!known || !known->packed.high[0] || !f->lab || known->image.width != f->view.width)
        return;
    f->packed =
        cofi_packed_from(&known->packed, (ptrdiff_t)(f->view.y - known->image.y) * f->view.width);
    f->is_packed = true;
}

/* Packed Lab is kept if the labels are those of the input. */
static CofStatus take_packed(CofiFilter *f)
{
    use_known_packed(f);
    if (f->job.known)
        return COF_OK;
    bool kept = f->lab && f->job.in->sample == COF_SAMPLE_U8 && !f->job.guide;
    for (int band = 0; band < 3 && kept; band++) {
        f->packed.high[band] = take_raw_plane(f, sizeof *f->packed.high[band]);
        f->packed.low[band] = take_raw_plane(f, sizeof *f->packed.low[band]);
        if (!f->packed.high[band] || !f->packed.low[band])
            return COF_ERR_MEMORY;
    }
    return COF_OK;
}

/* The sets of planes that all passes need. A pass writes to a set that it does not read, and that
 * is not kept; the last one needs none if it stores its rows. */
static int plane_sets(const CofiFilter *f, int passes)
{
    const CofiFilterJob *job = &f->job;
    int written = passes - f->direct, n = job->iterations;
    if (job->fidelity == 0)
        return written < 2 ? written : 2;
    if (n > 2)
        return COFI_PLANE_SETS;
    return job->fidelity == 1 ? n : n + 1;
}

/* Every pass writes all values, unless it leaves out a margin that later passes do not need. They
 * may read some of it, in which values must be finite, but do not use it. */
static CofStatus take_planes(CofiFilter *f, int passes)
{
    bool all = cofi_rect_holds(f->job.part, f->view);
    for (int set = 0; set < plane_sets(f, passes); set++)
        for (int band = 0; band < f->bands; band++) {
            f->sets[set][band] =
                all ? take_raw_plane(f, sizeof(float)) : take_plane(f, sizeof(float));
            if (!f->sets[set][band])
                return COF_ERR_MEMORY;
        }
    f->changed = take_raw_plane(f, 1);
    return f->changed ? COF_OK : COF_ERR_MEMORY;
}

/* The last pass writes to the output directly if it cannot be cancelled and no input overlaps it.
 */
static CofStatus take_result(CofiFilter *f)
{
    const CofImage *out = f->job.out, *guide = f->job.guide;
    bool apart =
        !cofi_images_overlap(f->job.in, out) && !(guide && cofi_images_overlap(guide, out));
    f->result = *out;
    return !f->call->options.progress && apart
               ? COF_OK
               : cofi_take_result(f->call, out, f->job.part, &f->result);
}

static CofStatus take_tables(CofiFilter *f)
{
    size_t rows = (size_t)f->job.part.height;
    for (int i = 0; i < f->job.members; i++)
        if (!(f->member_labels[i] = take_raw_plane(f, 1)))
            return COF_ERR_MEMORY;
    f->labels = f->member_labels[0];
    int narrowest = cofi_filter_tile_width(f, false);
    if (f->plan.possible && f->plan.tile_width < narrowest)
        narrowest = f->plan.tile_width;
    size_t columns = (size_t)((f->view.width - 1) / narrowest + 1);
    f->changes = cofi_call_take_raw(f->call, rows, columns * sizeof *f->changes);
    f->valid_counts = cofi_call_take_raw(f->call, rows, columns * sizeof *f->valid_counts);
    return f->changes && f->valid_counts ? COF_OK : COF_ERR_MEMORY;
}

static CofStatus take_low_rank(CofiFilter *f, CofiFilterMember *member)
{
    member->low_rank = cofi_call_take_raw(f->call, 1, sizeof *member->low_rank);
    member->factor_memory = cofi_call_take_raw(f->call, 1, cofi_fast_factors_size(&f->plan));
    double *scratch = cofi_call_take_raw(f->call, COFI_LOW_RANK_SCRATCH, sizeof *scratch);
    if (!member->low_rank || !member->factor_memory || !scratch)
        return COF_ERR_MEMORY;
    member->low_rank->scratch = scratch;
    return COF_OK;
}

static CofStatus take_member(CofiFilter *f, CofiFilterMember *member)
{
    CofStatus status =
        member == f->members
            ? cofi_weights_take(&member->weights, f->call, f->radius, f->job.sigma)
            : cofi_weights_take_other(&member->weights, f->call, &f->members[0].weights);
    if (status == COF_OK)
        status = cofi_grey_weights_take(&member->grey, f->call, &member->weights,
                                        f->job.guide || f->device ? NULL : f->job.in);
    return status == COF_OK && f->plan.possible ? take_low_rank(f, member) : status;
}

static CofStatus take_members(CofiFilter *f)
{
    int n = cofi_filter_pass_members(f);
    f->members = cofi_call_take(f->call, (size_t)n, sizeof *f->members);
    CofStatus status = f->members ? COF_OK : COF_ERR_MEMORY;
    for (int i = 0; i < n && status == COF_OK; i++)
        status = take_member(f, &f->members[i]);
    if (status == COF_OK && !f->together && !f->device)
        status = cofi_palette_mean_take(&f->mean, f->call, f->job.members, f->bands,
                                        f->job.part.width, f->job.part.height);
    return status;
}

/* What the filter needs on the CPU. */
static CofStatus take_host_memory(CofiFilter *f, int passes)
{
    CofStatus status = take_workers(f);
    if (status == COF_OK)
        status = take_packed(f);
    if (status == COF_OK && (passes > 1 || !f->direct))
        status = take_planes(f, passes);
    return status == COF_OK && f->direct ? take_result(f) : status;
}

int cofi_filter_job_passes(int iterations, int fidelity)
{
    return iterations * (1 + fidelity);
}

static int all_passes(const CofiFilterJob *job)
{
    return cofi_filter_job_passes(job->iterations, job->fidelity);
}

void cofi_filter_plan(CofiFilter *f, CofiCall *call, const CofiFilterJob *job)
{
    int passes = all_passes(job);
    const CofImage *in = job->in;
    *f = (CofiFilter){
        .call = call, .job = *job, .radius = job->window / 2, .latest = -1, .kept = -1};
    f->together = passes == 1 && job->members > 1;
    /* Passes may end early, but not those over residuals. */
    f->direct = job->fidelity > 0 || passes == 1 || call->options.tolerance <= 0;
    f->bands = cofi_bands(in);
    f->lab = cofi_family(in->kind) == COF_KIND_RGB && job->space == COF_SPACE_LAB;
    if (job->method != COF_METHOD_EXACT)
        cofi_fast_plan(&f->plan, cofi_call_keep(call, COFI_KEPT_GRID, sizeof(CofiKnownGrid)),
                       job->window, job->sigma, job->accuracy, f->bands, job->labels);
    f->reach = reach_of(&f->plan, job->window);
    f->view = cofi_rect_grow(job->part, f->reach * passes, cofi_full_rect(in));
}

CofStatus cofi_filter_open(CofiFilter *filter, CofiCall *call, const CofiFilterJob *job)
{
    int passes = all_passes(job);
    assert(passes >= 1 && job->window >= 1 && job->members >= 1);
    assert(!cofi_rect_empty(job->part));
    assert(cofi_rect_holds(cofi_view_rect(job->out), job->part));
    CofiFilter *f = filter;
    const CofImage *in = job->in;
    cofi_filter_plan(f, call, job);
    f->passes_before = call->options.report ? call->options.report->passes : 0;
    cofi_call_stage(call, COF_STAGE_FILTER);
    cofi_fast_plan_tiles(&f->plan, f->view.width, cofi_filter_pass_members(f));
    f->column_stride = cofi_column_stride(f->view.width, f->radius);
    CofStatus status =
        cofi_colour_init(&f->colour, call, in, (double)f->view.width * f->view.height);
    if (status == COF_OK)
        status = cofi_colour_init_stores(&f->colour, call, in);
    if (status == COF_OK)
        status = cofi_device_filter_open(f);
    f->together = f->together && !f->device;
    if (status == COF_OK)
        status = take_tables(f);
    if (status == COF_OK)
        status = take_members(f);
    return status == COF_OK && !f->device ? take_host_memory(f, passes) : status;
}

void cofi_filter_restart(CofiFilter *f, int member)
{
    assert(member >= 0 && member < f->job.members);
    if (f->device)
        cofi_device_filter_restart(f, member);
    f->labels = f->member_labels[member];
    f->mean.member = member;
    for (int i = 0; i < f->call->threads && f->workers; i++)
        f->workers[i].line_radius = 0; /* no label of another palette is left beyond a row */
    f->latest = f->kept = -1;
    f->passes = 0;
}

int cofi_filter_free_set(const CofiFilter *f)
{
    int set = 0;
    while (set == f->latest || set == f->kept)
        set++;
    return set;
}

/* If all taps of a pixel cost more than this many times the fast filter with a term for each label,
 * that is cheaper than a truncated sum, which leaves a few pixels to the exact filter. */
#define EXACT_COST_RATIO 20

bool cofi_filter_choose_fast(const CofiFilter *f, CofiFilterMember *member, const CofModel *model)
{
    if (!f->plan.possible)
        return false;
    int k = model->palette.k;
    double alone = cofi_all_taps_cost(f->job.window, f->bands);
    double exact = k <= COFI_FEW_LABELS ? cofi_exact_cost(f->job.window, f->bands) : alone;
    CofiLowRankRequest request = {
        .accuracy = f->job.accuracy,
        .each = k > COFI_FEW_LABELS || alone > EXACT_COST_RATIO * cofi_fast_cost(&f->plan, k, true),
        .batch = cofi_fast_batch(&f->plan),
        .mass = cofi_fast_mass(f->job.window, f->job.sigma)};
    CofiLowRank *low_rank = member->low_rank;
    if (member->low_rank_model != model)
        cofi_low_rank_of(low_rank, model, &request);
    member->low_rank_model = model;
    double fast = cofi_fast_cost(&f->plan, low_rank->ranks, low_rank->each);
    return low_rank->ranks > 0 && (f->job.method == COF_METHOD_AUTO ? 2 * fast : fast) < exact;
}
