/* SPDX-License-Identifier: BSD-2-Clause */
/* What one public call carries with it. */
#include "call/call.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "options/options.h"

/* Rows that a thread takes at once: few enough to share out evenly, enough to keep in cache what
 * neighbouring rows have in common. */
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
    uint32_t size = report->struct_size; /* the caller's may be shorter or longer than ours */
    memset(report, 0, size < sizeof *report ? size : sizeof *report);
    report->struct_size = size;
}

CofStatus cofi_run_begin(CofiRun *run, const CofOptions *options)
{
    *run = (CofiRun){.stage = COF_STAGE_TOTAL, .worth = 1};
    const char *problem = NULL;
    CofStatus status = cofi_options_complete(options, &run->options, &problem);
    clear_report(run->options.report);
    if (status != COF_OK)
        return cofi_run_fail(run, status, problem);
    run->work = run->options.work;
    if (!run->work) {
        status = cof_work_new(&run->work, run->options.threads);
        if (status != COF_OK)
            return cofi_run_fail(run, status, "not enough memory");
        run->own_work = true;
    }
    if (atomic_exchange(&run->work->busy, true))
        return cofi_run_fail(run, COF_ERR_BUSY, "the CofWork is in use by another call");
    run->threads = cofi_pool_size(run->work->pool);
    if (run->options.threads > 0 && run->options.threads < run->threads)
        run->threads = run->options.threads;
    return COF_OK;
}

CofStatus cofi_run_end(CofiRun *run, CofStatus status)
{
    cofi_run_stage(run, COF_STAGE_TOTAL);
    if (run->own_work) {
        cof_work_free(&run->work);
    } else {
        cofi_arena_reset(&run->work->arena);
        atomic_store(&run->work->busy, false);
    }
    if (status == COF_OK && run->options.progress)
        run->options.progress(run->options.user, 1.0);
    CofReport *report = run->options.report;
    if (status != COF_OK && report && !report->problem)
        report->problem = cof_status_string(status);
    return status;
}

CofStatus cofi_run_fail(CofiRun *run, CofStatus status, const char *problem)
{
    if (run->options.report)
        run->options.report->problem = problem;
    return status;
}

void cofi_run_expect(CofiRun *run, double units)
{
    run->expected += units;
}

void cofi_run_stage(CofiRun *run, CofStage stage)
{
    double time = now();
    if (run->options.report && run->stage != COF_STAGE_TOTAL)
        run->options.report->seconds[run->stage] += time - run->stage_start;
    run->stage = stage;
    run->stage_start = time;
}

void cofi_run_split(CofiRun *run, const double seconds[COF_STAGE_TOTAL])
{
    double time = now(), sum = 0;
    for (int stage = 0; stage < COF_STAGE_TOTAL; stage++)
        sum += seconds[stage];
    for (int stage = 0; stage < COF_STAGE_TOTAL && run->options.report && sum > 0; stage++)
        run->options.report->seconds[stage] += (time - run->stage_start) * (seconds[stage] / sum);
    run->stage_start = time;
}

double cofi_run_clock(const CofiRun *run)
{
    return run->options.report ? now() : 0;
}

void *cofi_run_take_raw(CofiRun *run, size_t count, size_t size)
{
    return cofi_arena_take_raw(&run->work->arena, count, size);
}

void *cofi_run_take(CofiRun *run, size_t count, size_t size)
{
    return cofi_arena_take(&run->work->arena, count, size);
}

CofiMark cofi_run_mark(const CofiRun *run)
{
    return cofi_arena_mark(&run->work->arena);
}

void cofi_run_release(CofiRun *run, CofiMark mark)
{
    cofi_arena_release(&run->work->arena, mark);
}

/* A caller hears of progress before each round of tasks, and among them when there is some:
 * callbacks of other languages take as long as a small task. */
#define PROGRESS_STEP (1.0 / 256)

static int report_progress(void *context, int tasks_done)
{
    CofiRun *run = context;
    double done = run->done + run->step * tasks_done / run->step_tasks;
    double fraction = run->expected > 0 ? done / run->expected : 0;
    if (tasks_done > 0 && fraction < 1 && fraction < run->told + PROGRESS_STEP)
        return run->cancelled;
    run->told = fraction;
    if (run->options.progress(run->options.user, fraction < 1 ? fraction : 1))
        run->cancelled = true;
    return run->cancelled;
}

CofStatus cofi_run_tasks(CofiRun *run, int n, double units, CofiTask *task, void *context)
{
    run->step = units * run->worth;
    run->step_tasks = n;
    CofiPulse *pulse = run->options.progress ? report_progress : NULL;
    /* The calling thread may get none of the tasks: it asks before them, too. */
    if (pulse && pulse(run, 0))
        return COF_ERR_CANCELLED;
    cofi_pool_run(run->work->pool, run->threads, n, task, context, pulse, run);
    run->done += run->step;
    return run->cancelled ? COF_ERR_CANCELLED : COF_OK;
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

CofStatus cofi_run_rows(CofiRun *run, int rows, double units, CofiRows *work, void *context)
{
    RowTasks tasks = {work, context, rows};
    int n = rows / ROWS_PER_TASK + (rows % ROWS_PER_TASK != 0);
    return cofi_run_tasks(run, n, units, row_task, &tasks);
}
