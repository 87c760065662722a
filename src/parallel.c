/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of threads that shares out numbered tasks. */
#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "memory.h"

/* What the threads are to do now. */
typedef struct Job {
    CofiTask *task;
    void *context;
    int tasks;
    atomic_int next;  /* task to start */
    atomic_int done;  /* tasks finished */
    atomic_bool stop; /* start no further task */
} Job;

typedef struct Worker {
    CofiPool *pool;
    int index;
    pthread_t thread;
} Worker;

struct CofiPool {
    int size;        /* threads, the caller included */
    Worker *workers; /* size - 1 of them, with indices from 1 */
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    atomic_ulong round; /* jobs so far x MOST_WORKERS + workers that are to join this one; seen at
                         * once, so that a late worker cannot mistake one job for another */
    atomic_int busy;    /* of those, not finished yet */
    int sleepers;       /* workers that have to be woken */
    atomic_bool quit;
    Job job;
};

#define MOST_WORKERS 4096ul

/* Jobs often follow each other closely: looking this many times before going to sleep (some tens of
 * microseconds) saves most of the waking up. */
#define LOOKS 4000

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

int cofi_thread_count(int threads)
{
    if (threads > 0)
        return threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 1024 ? 1024 : (int)cores;
}

static void do_tasks(Job *job, int worker, CofiPulse *pulse, void *pulse_context)
{
    while (!atomic_load(&job->stop)) {
        int task = atomic_fetch_add(&job->next, 1);
        if (task >= job->tasks)
            return;
        job->task(job->context, task, worker);
        int done = atomic_fetch_add(&job->done, 1) + 1;
        if (pulse && pulse(pulse_context, done))
            atomic_store(&job->stop, true);
    }
}

static void join_job(CofiPool *pool, int worker)
{
    do_tasks(&pool->job, worker, NULL, NULL);
    if (atomic_fetch_sub(&pool->busy, 1) > 1)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->idle);
    pthread_mutex_unlock(&pool->lock);
}

/* Returns when there is a new job, or none will come. */
static void await_job(CofiPool *pool, unsigned long seen)
{
    for (int look = 0; look < LOOKS; look++) {
        if (atomic_load(&pool->round) != seen || atomic_load(&pool->quit))
            return;
        relax();
    }
    pthread_mutex_lock(&pool->lock);
    pool->sleepers++;
    while (!atomic_load(&pool->quit) && atomic_load(&pool->round) == seen)
        pthread_cond_wait(&pool->wake, &pool->lock);
    pool->sleepers--;
    pthread_mutex_unlock(&pool->lock);
}

static void *worker_main(void *argument)
{
    Worker *self = argument;
    CofiPool *pool = self->pool;
    unsigned long seen = 0;
    for (;;) {
        await_job(pool, seen);
        if (atomic_load(&pool->quit))
            return NULL;
        seen = atomic_load(&pool->round);
        if ((unsigned long)self->index <= seen % MOST_WORKERS)
            join_job(pool, self->index);
    }
}

CofiPool *cofi_pool_new(int threads)
{
    CofiPool *pool = cofi_calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->size = 1;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);
    pool->workers = cofi_calloc((size_t)threads, sizeof *pool->workers);
    if (!pool->workers) {
        cofi_pool_free(pool);
        return NULL;
    }
    while (pool->size < threads) {
        Worker *worker = &pool->workers[pool->size - 1];
        *worker = (Worker){.pool = pool, .index = pool->size};
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0)
            break;
        pool->size++;
    }
    return pool;
}

void cofi_pool_free(CofiPool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->quit, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->size - 1; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    cofi_free(pool->workers);
    cofi_free(pool);
}

int cofi_pool_size(const CofiPool *pool)
{
    return pool->size;
}

void cofi_pool_run(CofiPool *pool, int threads, int n, CofiTask *task, void *context,
                   CofiPulse *pulse, void *pulse_context)
{
    Job *job = &pool->job;
    job->task = task;
    job->context = context;
    job->tasks = n;
    atomic_store(&job->next, 0);
    atomic_store(&job->done, 0);
    atomic_store(&job->stop, false);

    int helpers = threads < pool->size ? threads - 1 : pool->size - 1;
    if (helpers > n - 1)
        helpers = n - 1;
    if (helpers <= 0) {
        do_tasks(job, 0, pulse, pulse_context);
        return;
    }
    unsigned long jobs = atomic_load(&pool->round) / MOST_WORKERS;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->busy, helpers);
    atomic_store(&pool->round, (jobs + 1) * MOST_WORKERS + (unsigned long)helpers);
    if (pool->sleepers > 0)
        pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);

    do_tasks(job, 0, pulse, pulse_context);

    for (int look = 0; look < LOOKS && atomic_load(&pool->busy) > 0; look++)
        relax();
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->busy) > 0)
        pthread_cond_wait(&pool->idle, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
