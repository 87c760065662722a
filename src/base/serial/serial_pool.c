/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread pool for systems without threads: the calling thread runs all tasks in order. */
#include "base/thread_pool.h"

#include <assert.h>

#include "base/memory.h"

struct CofiPool {
    int size; /* is 1 */
};

int cofi_thread_count(int threads)
{
    (void)threads;
    return 1;
}

CofiPool *cofi_pool_new(int threads)
{
    assert(threads >= 1);
    CofiPool *pool = cofi_calloc(1, sizeof *pool);
    if (pool)
        pool->size = cofi_thread_count(threads);
    return pool;
}

void cofi_pool_free(CofiPool *pool)
{
    cofi_free(pool);
}

int cofi_pool_size(const CofiPool *pool)
{
    return pool->size;
}

void cofi_pool_rouse(CofiPool *pool, int threads)
{
    (void)pool, (void)threads;
}

void cofi_pool_run(CofiPool *pool, int threads, const CofiTasks *tasks)
{
    assert(tasks->n >= 0);
    assert(tasks->task);
    assert(threads == 1 && threads <= pool->size);
    (void)pool, (void)threads;
    for (int i = 0; i < tasks->n; i++) {
        tasks->task(tasks->context, i, 0);
        if (tasks->progress && tasks->progress(tasks->progress_context, i + 1))
            return;
    }
}
