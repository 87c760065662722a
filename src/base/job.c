/* SPDX-License-Identifier: BSD-2-Clause */
/* Work stealing. Each worker has a range of consecutive tasks; when it is empty, the worker steals
 * about half of the range of another. */
#include "base/job.h"

static uint64_t range_of(uint32_t first, uint32_t end)
{
    return (uint64_t)end << 32 | first;
}

static uint32_t first_of(uint64_t range)
{
    return (uint32_t)range;
}

static uint32_t left_of(uint64_t range)
{
    return (uint32_t)(range >> 32) - first_of(range);
}

/* The next task of a share; -1 if it is empty. */
static int take_task(CofiShare *share)
{
    uint64_t range = atomic_load(&share->range);
    do {
        if (left_of(range) == 0)
            return -1;
    } while (!atomic_compare_exchange_weak(&share->range, &range, range + 1));
    return (int)first_of(range);
}

static CofiShare *largest_share(const CofiJob *job)
{
    CofiShare *largest = &job->shares[0];
    for (int i = 1; i < job->workers; i++)
        if (left_of(atomic_load(&job->shares[i].range)) > left_of(atomic_load(&largest->range)))
            largest = &job->shares[i];
    return largest;
}

/* How many of the last tasks of a share a thread steals: so many that it ends with them when the
 * owner ends with the others, although the first one costs more. An owner that is not there may
 * never come. */
static uint32_t stolen_of(const CofiJob *job, const CofiShare *share, uint32_t left)
{
    bool is_there = atomic_load(&share->gate) == job->gate;
    uint32_t cost = is_there ? (uint32_t)job->tasks.start_cost : 0;
    return left > cost ? (left - cost + 1) / 2 : 0;
}

/* Steals from the largest share; false if that does not pay. */
static bool steal(const CofiJob *job, int worker)
{
    for (;;) {
        CofiShare *other = largest_share(job);
        uint64_t range = atomic_load(&other->range);
        uint32_t left = left_of(range), first = first_of(range);
        uint32_t stolen = stolen_of(job, other, left), kept = first + left - stolen;
        if (stolen == 0)
            return false;
        /* There is no ABA problem: a range that has changed never recurs, since its first task is
         * done. */
        if (atomic_compare_exchange_strong(&other->range, &range, range_of(first, kept))) {
            atomic_store(&job->shares[worker].range, range_of(kept, first + left));
            return true;
        }
    }
}

void cofi_job_work(CofiJob *job, int worker)
{
    const CofiTasks *tasks = &job->tasks;
    while (!atomic_load(&job->stop)) {
        int task = take_task(&job->shares[worker]);
        if (task < 0 && !steal(job, worker))
            return;
        if (task < 0)
            continue;
        tasks->task(tasks->context, task, worker);
        int done = tasks->progress ? atomic_fetch_add(&job->done, 1) + 1 : 0;
        if (worker == 0 && tasks->progress && tasks->progress(tasks->progress_context, done))
            atomic_store(&job->stop, true);
    }
}

void cofi_job_finish(CofiJob *job)
{
    /* Tasks that did not pay are left if their owner found the gate closed. It may show itself in
     * its share even now. */
    bool may_have_left_some = job->tasks.start_cost > 0;
    job->tasks.start_cost = 0;
    if (may_have_left_some)
        cofi_job_work(job, 0);
}

void cofi_job_share_out(CofiJob *job, int sharers)
{
    int tasks = job->tasks.n;
    for (int i = 0; i < job->workers; i++) {
        int64_t first = (int64_t)tasks * i / sharers, end = (int64_t)tasks * (i + 1) / sharers;
        uint64_t range = i < sharers ? range_of((uint32_t)first, (uint32_t)end) : 0;
        atomic_store(&job->shares[i].range, range);
    }
}
