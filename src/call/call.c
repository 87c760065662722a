/* SPDX-License-Identifier: BSD-2-Clause */
/* What one public call carries with it. */
#include "call/call.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "base/status.h"
#include "call/context.h"
#include "call/device_call.h"
#include "options/options.h"

/* Rows that a thread takes at once: few enough to share out evenly, enough to keep in cache what
 * neighbouring rows have in common. If there are few rows for each thread, tasks are smaller. */
#define ROWS_PER_TASK 8
#define MIN_ROWS_PER_TASK 4
#define TASKS_PER_THREAD 12

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

static CofStatus take_context(CofiCall *call)
{
    call->context = call->options.context;
    if (!call->context) {
        CofStatus status =
            cof_context_new(&call->context, call->options.threads, call->options.problem);
        if (status != COF_OK)
            return status;
        call->own_context = true;
    }
    if (atomic_exchange(&call->context->busy, true))
        return cofi_call_fail(call, COF_ERR_BUSY, "the context is in use by another call");
    call->threads = cofi_pool_size(call->context->pool);
    cofi_call_use_device(call);
    if (call->options.threads > 0 && call->options.threads < call->threads)
        call->threads = call->options.threads;
    return COF_OK;
}

CofStatus cofi_call_begin(CofiCall *call, const CofOptions *options)
{
    *call = (CofiCall){.stage = COFI_STAGES, .unit_scale = 1};
    CofProblem problem = {0};
    CofStatus status = cofi_options_complete(options, &call->options, &problem);
    clear_report(call->options.report);
    if (call->options.problem)
        *call->options.problem = problem;
    if (status != COF_OK)
        return status;
    if (call->options.iterations == 0)
        call->options.iterations = 1;
    return take_context(call);
}

CofStatus cofi_call_end(CofiCall *call, CofStatus status)
{
    /* Otherwise progress would reach 1 early. */
    assert(call->expected <= 0 || call->done <= call->expected * (1 + 1e-9));
    cofi_call_stage(call, COFI_STAGES);
    if (call->own_context) {
        cof_context_free(&call->context);
    } else {
        cofi_arena_reset(&call->context->arena);
        atomic_store(&call->context->busy, false);
    }
    if (status == COF_OK && call->options.progress)
        call->options.progress(call->options.user, 1.0);
    return cofi_status_problem(call->options.problem, status);
}

CofStatus cofi_call_fail(const CofiCall *call, CofStatus status, const char *text)
{
    return cofi_problem(call->options.problem, status, text);
}

CofStatus cofi_call_fail_argument(const CofiCall *call, CofStatus status, const char *argument,
                                  const char *text)
{
    return cofi_argument_problem(call->options.problem, status, argument, text);
}

CofStatus cofi_call_fail_option(const CofiCall *call, const char *option, const char *text)
{
    return cofi_option_problem(call->options.problem, option, text);
}

void cofi_call_rename_argument(const CofiCall *call, const char *shared, const char *argument)
{
    CofProblem *problem = call->options.problem;
    if (problem && problem->argument && strcmp(problem->argument, shared) == 0)
        problem->argument = argument;
}

CofStatus cofi_call_fail_index(const CofiCall *call, CofStatus status, int index)
{
    cofi_status_problem(call->options.problem, status);
    if (status != COF_OK && call->options.problem)
        call->options.problem->index = index;
    return status;
}

void cofi_call_expect(CofiCall *call, double units)
{
    call->expected += units;
}

void cofi_call_stage(CofiCall *call, CofStage stage)
{
    double time = now();
    if (call->options.report && call->stage != COFI_STAGES)
        call->options.report->seconds[call->stage] += time - call->stage_start;
    call->stage = stage;
    call->stage_start = time;
}

void cofi_call_split(CofiCall *call, const double seconds[COFI_STAGES])
{
    double time = now(), sum = 0;
    for (int stage = 0; stage < COFI_STAGES; stage++)
        sum += seconds[stage];
    for (int stage = 0; stage < COFI_STAGES && call->options.report && sum > 0; stage++)
        call->options.report->seconds[stage] += (time - call->stage_start) * (seconds[stage] / sum);
    call->stage_start = time;
}

double cofi_call_clock(const CofiCall *call)
{
    return call->options.report ? now() : 0;
}

void *cofi_call_take_raw(CofiCall *call, size_t count, size_t size)
{
    return cofi_arena_take_raw(&call->context->arena, count, size);
}

void *cofi_call_take(CofiCall *call, size_t count, size_t size)
{
    return cofi_arena_take(&call->context->arena, count, size);
}

CofiMark cofi_call_mark(const CofiCall *call)
{
    return cofi_arena_mark(&call->context->arena);
}

void cofi_call_release(CofiCall *call, CofiMark mark)
{
    cofi_arena_release(&call->context->arena, mark);
}

/* Progress is reported before each round of tasks, and during it after each PROGRESS_STEP:
 * callbacks of other languages take as long as a small task. In long calls it is also reported
 * after PROGRESS_SECONDS, so that they can be cancelled soon. */
#define PROGRESS_STEP (1.0 / 256)
#define PROGRESS_SECONDS 0.05

static int report_progress(void *context, int tasks_done)
{
    CofiCall *call = context;
    double done = call->done + call->step * tasks_done / call->step_tasks;
    double fraction = call->expected > 0 ? done / call->expected : 0, time = now();
    if (fraction < call->last_reported)
        fraction = call->last_reported; /* rounding must not take progress back */
    if (fraction > 1)
        fraction = 1;
    bool arrives = fraction >= 1 && call->last_reported < 1;
    bool late = fraction < 1 && time >= call->last_report_time + PROGRESS_SECONDS;
    if (tasks_done > 0 && !arrives && !late && fraction < call->last_reported + PROGRESS_STEP)
        return call->cancelled;
    call->last_reported = fraction;
    call->last_report_time = time;
    if (call->options.progress(call->options.user, fraction))
        call->cancelled = true;
    return call->cancelled;
}

CofStatus cofi_call_poll(CofiCall *call)
{
    double time = call->options.progress ? now() : 0;
    if (call->options.progress && time >= call->last_report_time + PROGRESS_SECONDS) {
        call->last_report_time = time;
        if (call->options.progress(call->options.user, call->last_reported))
            call->cancelled = true;
    }
    return call->cancelled ? COF_ERR_CANCELLED : COF_OK;
}

CofStatus cofi_call_consecutive_tasks(CofiCall *call, int n, int start_cost, double units,
                                      CofiTask *task, void *context)
{
    call->step = units * call->unit_scale;
    call->step_tasks = n;
    if (n == 0) {
        call->done += call->step;
        return COF_OK;
    }
    CofiProgress *progress = call->options.progress ? report_progress : NULL;
    /* The calling thread may get none of the tasks: it asks before them, too. */
    if (progress && progress(call, 0))
        return COF_ERR_CANCELLED;
    CofiTasks tasks = {.n = n,
                       .task = task,
                       .context = context,
                       .start_cost = start_cost,
                       .progress = progress,
                       .progress_context = call};
    cofi_pool_run(call->context->pool, call->threads, &tasks);
    call->done += call->step;
    return call->cancelled ? COF_ERR_CANCELLED : COF_OK;
}

CofStatus cofi_call_tasks(CofiCall *call, int n, double units, CofiTask *task, void *context)
{
    return cofi_call_consecutive_tasks(call, n, 0, units, task, context);
}

typedef struct FewTasks {
    int n;
    CofiTask *task;
    void *context;
    CofiSpareTasks *spare; /* NULL: none */
    atomic_int next, done;
} FewTasks;

/* What one thread does. */
static void few_tasks(void *context, int index, int worker)
{
    (void)index;
    FewTasks *few = context;
    for (int i; (i = atomic_fetch_add(&few->next, 1)) < few->n;) {
        few->task(few->context, i, worker);
        atomic_fetch_add(&few->done, 1);
    }
    CofiSpareTasks *spare = few->spare;
    while (spare && atomic_load(&few->done) < few->n) {
        int i = atomic_fetch_add(&spare->next, 1);
        if (i >= spare->n)
            return;
        spare->task(spare->context, i, worker);
    }
}

CofStatus cofi_call_few_tasks(CofiCall *call, int n, CofiTask *task, void *context)
{
    if (!COFI_HAS_THREADS || call->threads == 1)
        return cofi_call_tasks(call, n, 0, task, context);
    FewTasks few = {.n = n, .task = task, .context = context, .spare = call->spare};
    return cofi_call_tasks(call, call->threads, 0, few_tasks, &few);
}

void cofi_call_rouse(const CofiCall *call)
{
    if (call->threads > 1)
        cofi_pool_rouse(call->context->pool, call->threads);
}

CofStatus cofi_call_steps(CofiCall *call, int n, double units, CofiStep *step, void *context)
{
    CofStatus status = COF_OK;
    call->step = units * call->unit_scale;
    call->step_tasks = n;
    for (int i = 0; i < n && status == COF_OK; i++) {
        if (call->options.progress && report_progress(call, i))
            return COF_ERR_CANCELLED;
        status = step(context, i);
    }
    call->done += call->step;
    return status;
}

typedef struct RowTasks {
    CofiRows *work;
    void *context;
    int rows, rows_per_task;
} RowTasks;

static void row_task(void *context, int task, int worker)
{
    const RowTasks *tasks = context;
    int first = task * tasks->rows_per_task, left = tasks->rows - first;
    int rows = left < tasks->rows_per_task ? left : tasks->rows_per_task;
    tasks->work(tasks->context, first, first + rows, worker);
}

CofStatus cofi_call_rows(CofiCall *call, int rows, double units, CofiRows *work, void *context)
{
    bool few = rows / (TASKS_PER_THREAD * call->threads) < ROWS_PER_TASK && call->threads > 1;
    int rows_per_task = few ? MIN_ROWS_PER_TASK : ROWS_PER_TASK;
    RowTasks tasks = {work, context, rows, rows_per_task};
    int n = rows / rows_per_task + (rows % rows_per_task != 0);
    return cofi_call_tasks(call, n, units, row_task, &tasks);
}

void cofi_call_output_rows(CofiCall *call, int rows, double units, CofiRows *work, void *context)
{
    int (*progress)(void *, double) = call->options.progress;
    assert(!call->cancelled);
    call->options.progress = NULL;
    cofi_call_rows(call, rows, units, work, context);
    call->options.progress = progress;
}
