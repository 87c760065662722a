/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of one public call. */
#include "call/call.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "options/options.h"

/* Rows of a task: few enough to balance the load, enough to reuse the cache between rows. */
#define ROWS_PER_TASK 8

struct CofWork {
    CofiPool *pool;
    CofiArena arena;
    atomic_bool busy;
};

CofStatus cof_work_new(CofWork **out, int threads)
{
    if (!out)
        return COF_ERR_ARGUMENT;
    if (threads < 0 || threads > COFI_MAX_THREADS)
        return COF_ERR_OPTION;
    CofWork *work = cofi_calloc(1, sizeof *work);
    if (!work)
        return COF_ERR_MEMORY;
    work->pool = cofi_pool_new(cofi_thread_count(threads));
    if (!work->pool) {
        cofi_free(work);
        return COF_ERR_MEMORY;
    }
    *out = work;
    return COF_OK;
}

void cof_work_free(CofWork **work)
{
    if (!work || !*work)
        return;
    cofi_pool_free((*work)->pool);
    cofi_arena_clear(&(*work)->arena);
    cofi_free(*work);
    *work = NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void clear_report(CofReport *report)
{
    if (!report)
        return;
    uint32_t size =
        report->struct_size; /* the caller's struct may be shorter or longer than ours */
    memset(report, 0, size < sizeof *report ? size : sizeof *report);
    report->struct_size = size;
}

CofStatus cofi_call_begin(CofiCall *call, const CofOptions *options)
{
    *call = (CofiCall){.stage = COF_STAGE_TOTAL, .unit_scale = 1};
    const char *problem = NULL;
    CofStatus status = cofi_options_complete(options, &call->options, &problem);
    clear_report(call->options.report);
    if (status != COF_OK)
        return cofi_call_fail(call, status, problem);
    call->work = call->options.work;
    if (!call->work) {
        status = cof_work_new(&call->work, call->options.threads);
        if (status != COF_OK)
            return cofi_call_fail(call, status, "not enough memory");
        call->own_work = true;
    }
    if (atomic_exchange(&call->work->busy, true))
        return cofi_call_fail(call, COF_ERR_BUSY, "the CofWork is in use by another call");
    call->threads = cofi_pool_size(call->work->pool);
    if (call->options.threads > 0 && call->options.threads < call->threads)
        call->threads = call->options.threads;
    return COF_OK;
}

CofStatus cofi_call_end(CofiCall *call, CofStatus status)
{
    cofi_call_stage(call, COF_STAGE_TOTAL);
    if (call->own_work) {
        cof_work_free(&call->work);
    } else {
        cofi_arena_reset(&call->work->arena);
        atomic_store(&call->work->busy, false);
    }
    if (status == COF_OK && call->options.progress)
        call->options.progress(call->options.user, 1.0);
    CofReport *report = call->options.report;
    if (status != COF_OK && report && !report->problem)
        report->problem = cof_status_string(status);
    return status;
}

CofStatus cofi_call_fail(CofiCall *call, CofStatus status, const char *problem)
{
    assert(status != COF_OK && problem);
    if (call->options.report)
        call->options.report->problem = problem;
    return status;
}

void cofi_call_expect(CofiCall *call, double units)
{
    assert(units >= 0);
    call->expected += units;
}

void cofi_call_stage(CofiCall *call, CofStage stage)
{
    assert(stage <= COF_STAGE_TOTAL);
    double time = now();
    if (call->options.report && call->stage != COF_STAGE_TOTAL)
        call->options.report->seconds[call->stage] += time - call->stage_start;
    call->stage = stage;
    call->stage_start = time;
}

void cofi_call_split(CofiCall *call, const double seconds[COF_STAGE_TOTAL])
{
    double time = now(), sum = 0;
    for (int stage = 0; stage < COF_STAGE_TOTAL; stage++)
        sum += seconds[stage];
    for (int stage = 0; stage < COF_STAGE_TOTAL && call->options.report && sum > 0; stage++)
        call->options.report->seconds[stage] += (time - call->stage_start) * (seconds[stage] / sum);
    call->stage_start = time;
}

double cofi_call_clock(const CofiCall *call)
{
    return call->options.report ? now() : 0;
}

void *cofi_call_take_raw(CofiCall *call, size_t count, size_t size)
{
    return cofi_arena_take_raw(&call->work->arena, count, size);
}

void *cofi_call_take(CofiCall *call, size_t count, size_t size)
{
    return cofi_arena_take(&call->work->arena, count, size);
}

CofiMark cofi_call_mark(const CofiCall *call)
{
    return cofi_arena_mark(&call->work->arena);
}

void cofi_call_release(CofiCall *call, CofiMark mark)
{
    cofi_arena_release(&call->work->arena, mark);
}

/* Progress is reported before each round of tasks, and during it only in steps of this size: a
 * callback in another language can take as long as a small task. */
#define PROGRESS_STEP (1.0 / 256)

static int report_progress(void *context, int tasks_done)
{
    CofiCall *call = context;
    double done = call->done + call->step * tasks_done / call->step_tasks;
    double fraction = call->expected > 0 ? done / call->expected : 0;
    if (tasks_done > 0 && fraction < 1 && fraction < call->last_reported + PROGRESS_STEP)
        return call->cancelled;
    call->last_reported = fraction;
    if (call->options.progress(call->options.user, fraction < 1 ? fraction : 1))
        call->cancelled = true;
    return call->cancelled;
}

CofStatus cofi_call_tasks(CofiCall *call, int n, double units, CofiTask *task, void *context)
{
    assert(n >= 0 && units >= 0);
    assert(call->work);
    call->step = units * call->unit_scale;
    call->step_tasks = n;
    CofiProgress *progress = call->options.progress ? report_progress : NULL;
    /* The calling thread may run none of the tasks, so it reports before them, too. */
    if (progress && progress(call, 0))
        return COF_ERR_CANCELLED;
    cofi_pool_run(call->work->pool, call->threads, n, task, context, progress, call);
    call->done += call->step;
    return call->cancelled ? COF_ERR_CANCELLED : COF_OK;
}

typedef struct RowTasks {
    CofiRows *work;
    void *context;
    int rows;
} RowTasks;

static void row_task(void *context, int task, int worker)
{
    const RowTasks *tasks = context;
    int first = task * ROWS_PER_TASK;
    int last = first + ROWS_PER_TASK < tasks->rows ? first + ROWS_PER_TASK : tasks->rows;
    tasks->work(tasks->context, first, last, worker);
}

CofStatus cofi_call_rows(CofiCall *call, int rows, double units, CofiRows *work, void *context)
{
    assert(rows >= 0);
    RowTasks tasks = {work, context, rows};
    int n = rows / ROWS_PER_TASK + (rows % ROWS_PER_TASK != 0);
    return cofi_call_tasks(call, n, units, row_task, &tasks);
}
