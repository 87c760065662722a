/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbered tasks, and how threads share them. */
#ifndef COF_JOB_H
#define COF_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

/* Does one task. `worker` is below the number of threads and belongs to one thread at a time. */
typedef void CofiTask(void *context, int task, int worker);

/* Called by the calling thread after each of its tasks; non-zero: start no further task. */
typedef int CofiProgress(void *context, int tasks_done);

/* Tasks 0..n-1. They must not depend on the thread that runs them. A thread mostly runs consecutive
 * tasks. */
typedef struct CofiTasks {
    int n;
    CofiTask *task;
    void *context;
    int start_cost; /* a task that does not follow the last one of its thread costs as much as
                       1 + start_cost tasks that do */
    CofiProgress *progress; /* NULL: none */
    void *progress_context;
} CofiTasks;

/* What belongs to one worker. Each share has a cache line of its own: workers that changed one
 * number in turns would wait for each other. */
typedef struct CofiShare {
    /* The tasks that it has not started: the first in the lower 32 bits, the end in the upper ones.
     */
    _Alignas(COFI_ALIGNMENT) _Atomic uint64_t range;
    _Atomic uint64_t gate; /* through which it went to the job that it works on; 0: none */
} CofiShare;

/* The tasks that the threads work on. */
typedef struct CofiJob {
    CofiTasks tasks;
    int workers;
    CofiShare *shares;
    uint64_t gate;    /* through which workers go to it; 0: none but the caller works on it */
    atomic_int done;  /* tasks finished, if somebody wants to know */
    atomic_bool stop; /* start no further task */
} CofiJob;

/* Divides the tasks evenly among so many of the workers. The others only steal. */
void cofi_job_share_out(CofiJob *job, int sharers);

/* Does tasks, its own and stolen ones, until it finds none that pays or the job is stopped. */
void cofi_job_work(CofiJob *job, int worker);

/* Does what all workers have left, as the first of them, when no other one works on the job. */
void cofi_job_finish(CofiJob *job);

#endif
