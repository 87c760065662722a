/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of a pool of threads: each task runs once, while the job runs, and never after. */
#include <stdatomic.h>
#include <time.h>

#include "base/job.h"
#include "base/thread_pool.h"
#include "testing.h"

enum { THREADS = 5, TASKS = 40 };

typedef struct Job {
    CofiPool *pool;
    int threads, rousing; /* the task that rouses the others; -1: none */
    atomic_int runs[TASKS];
    atomic_bool runs_now, is_wrong;
    atomic_bool in_use[THREADS];
} Job;

static void count_run(void *context, int task, int worker)
{
    Job *job = context;
    if (!atomic_load(&job->runs_now) || worker >= job->threads ||
        atomic_exchange(&job->in_use[worker], true))
        atomic_store(&job->is_wrong, true);
    if (task == job->rousing)
        cofi_pool_rouse(job->pool, job->threads);
    atomic_fetch_add(&job->runs[task], 1);
    atomic_store(&job->in_use[worker], false);
}

static void wait_a_little(Random *random)
{
    struct timespec time = {.tv_nsec = random_int(random, 0, 600) * 1000L};
    if (random_chance(random, 0.02))
        nanosleep(&time, NULL); /* threads may fall asleep */
}

static void each_task_runs_once(void **state)
{
    (void)state;
    Random random = {8};
    CofiPool *pool = cofi_pool_new(THREADS);
    assert_non_null(pool);
    static Job job;
    for (int i = 0; i < 3000; i++) {
        int n = random_int(&random, 0, TASKS);
        job = (Job){.pool = pool, .rousing = random_int(&random, -1, TASKS)};
        job.threads = random_int(&random, 1, cofi_pool_size(pool));
        atomic_store(&job.runs_now, true);
        CofiTasks tasks = {
            .n = n, .task = count_run, .context = &job, .start_cost = random_int(&random, 0, 4)};
        cofi_pool_run(pool, job.threads, &tasks);
        atomic_store(&job.runs_now, false);
        assert_false(atomic_load(&job.is_wrong));
        for (int task = 0; task < TASKS; task++)
            assert_int_equal(atomic_load(&job.runs[task]), task < n);
        if (random_chance(&random, 0.05))
            cofi_pool_rouse(pool, random_int(&random, 1, THREADS));
        wait_a_little(&random);
    }
    cofi_pool_free(pool);
}

static int stop_after(void *context, int done)
{
    int *most = context;
    *most = done > *most ? done : *most;
    return done >= 3;
}

static void jobs_can_be_stopped(void **state)
{
    (void)state;
    CofiPool *pool = cofi_pool_new(THREADS);
    assert_non_null(pool);
    static Job job;
    for (int i = 0; i < 300; i++) {
        int most = 0, runs = 0;
        job = (Job){.pool = pool, .threads = 1 + i % cofi_pool_size(pool), .rousing = -1};
        atomic_store(&job.runs_now, true);
        CofiTasks tasks = {.n = TASKS,
                           .task = count_run,
                           .context = &job,
                           .start_cost = i % 5,
                           .progress = stop_after,
                           .progress_context = &most};
        cofi_pool_run(pool, job.threads, &tasks);
        atomic_store(&job.runs_now, false);
        for (int task = 0; task < TASKS; task++) {
            assert_in_range(atomic_load(&job.runs[task]), 0, 1);
            runs += atomic_load(&job.runs[task]);
        }
        assert_true(most <= runs);
        assert_true(runs == TASKS || most >= 3);
        if (job.threads == 1)
            assert_int_equal(runs, 3);
        assert_false(atomic_load(&job.is_wrong));
    }
    cofi_pool_free(pool);
}

static void count_task(void *context, int task, int worker)
{
    (void)worker;
    ((int *)context)[task]++;
}

/* A worker shows itself in its share before it looks whether the gate is still open. */
static void tasks_of_a_late_worker_are_done(void **state)
{
    (void)state;
    static CofiShare shares[2];
    int runs[8] = {0};
    CofiJob job = {.tasks = {.n = 8, .task = count_task, .context = runs, .start_cost = 6},
                   .workers = 2,
                   .shares = shares,
                   .gate = 1};
    atomic_store(&shares[0].gate, job.gate);
    atomic_store(&shares[1].gate, job.gate);
    cofi_job_share_out(&job, 2);
    cofi_job_work(&job, 0);
    for (int task = 0; task < 8; task++)
        assert_int_equal(runs[task], task < 4); /* the others do not pay */
    cofi_job_finish(&job);
    for (int task = 0; task < 8; task++)
        assert_int_equal(runs[task], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_task_runs_once),
                                       cmocka_unit_test(jobs_can_be_stopped),
                                       cmocka_unit_test(tasks_of_a_late_worker_are_done)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
