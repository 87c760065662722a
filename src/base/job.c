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

/* How many of the last tasks in the range of a share a worker steals: so many that it ends with
 * them when the owner ends with the others, although the first one costs more. An owner that is not
 * there may never come. */
static uint32_t stolen_of(const CofiJob *job, const CofiShare *share, uint64_t range)
{
    bool is_there = atomic_load(&share->gate) == job->gate;
    uint32_t cost = is_there ? (uint32_t)job->tasks.start_cost : 0, left = left_of(range);
    return left > cost ? (left - cost + 1) / 2 : 0;
}

/* The share from which most tasks are stolen, and its range at that time. */
typedef struct Victim {
    CofiShare *share;
    uint64_t range;
    uint32_t stolen; /* 0: nowhere does stealing pay */
} Victim;

static Victim find_victim(const CofiJob *job)
{
    Victim victim = {0};
    for (int i = 0; i < job->workers; i++) {
        CofiShare *share = &job->shares[i];
        uint64_t range = atomic_load(&share->range);
        uint32_t stolen = stolen_of(job, share, range);
        if (stolen > victim.stolen)
            victim = (Victim){share, range, stolen};
    }
    return victim;
}

/* Steals as many tasks as pay; false if none do. */
static bool steal(const CofiJob *job, int worker)
{
    for (;;) {
        Victim victim = find_victim(job);
        if (victim.stolen == 0)
            return false;
        uint32_t first = first_of(victim.range), end = first + left_of(victim.range);
        uint32_t middle = end - victim.stolen;
        /* A range that has changed and changed back will do: it is all the state of a share. */
        if (atomic_compare_exchange_strong(&victim.share->range, &victim.range,
                                           range_of(first, middle))) {
            atomic_store(&job->shares[worker].range, range_of(middle, end));
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
