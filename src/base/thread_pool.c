/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of threads: how they find a job, and how the caller finds out that they have left it. */
#include "base/thread_pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "base/job.h"
#include "base/memory.h"
#include "base/system.h"

typedef struct Worker {
    CofiPool *pool;
    int index;
    pthread_t thread;
} Worker;

/* The gate packs the state of a job into one number, so that a late worker cannot mistake one job
 * for another: its serial number, whether it is open, and the last worker that may join. */
#define MAX_WORKERS ((uint64_t)1 << 12)
#define OPEN MAX_WORKERS
#define ONE_JOB (2 * OPEN)

static uint64_t last_worker_of(uint64_t gate)
{
    return gate % MAX_WORKERS;
}

static uint64_t job_of(uint64_t gate)
{
    return gate / ONE_JOB;
}

struct CofiPool {
    pid_t process;   /* that has the threads; a forked child does not */
    int size;        /* threads, the caller included */
    Worker *workers; /* size - 1 of them, with indices from 1 */
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    int sleepers;        /* workers that have to be woken */
    unsigned roused;     /* how often they were, without a job */
    int last_roused;     /* the last worker that was */
    atomic_bool waiting; /* the caller sleeps until the workers have left the job */
    atomic_bool quit;
    CofiJob job;
    _Alignas(COFI_ALIGNMENT) _Atomic uint64_t gate; /* only the caller writes it */
};

/* Jobs often follow each other closely. Spinning for a while before sleeping saves most wake-ups,
 * which take some tens of microseconds. A look at the clock takes as long as some rounds. */
#define SPIN_SECONDS 500e-6
#define SPIN_ROUNDS 16

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Spins until something has arrived, or for SPIN_SECONDS; returns whether it has. */
static bool spin(bool (*has_arrived)(const CofiPool *pool, uint64_t), const CofiPool *pool,
                 uint64_t number)
{
    for (double end = now() + SPIN_SECONDS;;) {
        for (int round = 0; round < SPIN_ROUNDS; round++) {
            if (has_arrived(pool, number))
                return true;
            relax();
        }
        if (now() >= end)
            return false;
    }
}

int cofi_thread_count(int threads)
{
    if (threads > 0)
        return threads;
    long cores = cofi_processors();
    return cores < 1 ? 1 : cores > 1024 ? 1024 : (int)cores;
}

/* Joins the job, if it is still open to this worker; returns its serial number. The worker shows
 * through which gate it goes, and then looks whether that is still open; the caller closes the gate
 * before it looks who is inside. So one of them sees the other. */
static uint64_t join_job(CofiPool *pool, int worker)
{
    uint64_t gate = atomic_load(&pool->gate);
    if (!(gate & OPEN) || (uint64_t)worker > last_worker_of(gate))
        return job_of(gate);
    CofiShare *share = &pool->job.shares[worker];
    atomic_store(&share->gate, gate);
    if (atomic_load(&pool->gate) == gate)
        cofi_job_work(&pool->job, worker);
    atomic_store(&share->gate, 0);
    if (atomic_load(&pool->waiting)) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_signal(&pool->idle);
        pthread_mutex_unlock(&pool->lock);
    }
    return job_of(gate);
}

static bool has_other_job(const CofiPool *pool, uint64_t seen)
{
    return job_of(atomic_load(&pool->gate)) != seen || atomic_load(&pool->quit);
}

/* Returns when there is a new job, the pool quits, or the workers are roused. */
static void await_job(CofiPool *pool, int worker, uint64_t seen)
{
    if (spin(has_other_job, pool, seen))
        return;
    pthread_mutex_lock(&pool->lock);
    pool->sleepers++;
    for (unsigned roused = pool->roused;
         !has_other_job(pool, seen) && (pool->roused == roused || worker > pool->last_roused);)
        pthread_cond_wait(&pool->wake, &pool->lock);
    pool->sleepers--;
    pthread_mutex_unlock(&pool->lock);
}

/* Whether no worker is inside of this gate. */
static bool has_emptied(const CofiPool *pool, uint64_t gate)
{
    for (uint64_t worker = last_worker_of(gate); worker > 0; worker--)
        if (atomic_load(&pool->job.shares[worker].gate) == gate)
            return false;
    return true;
}

/* Shuts out workers that have not joined yet, and waits for those that have. */
static void close_gate(CofiPool *pool, uint64_t gate)
{
    atomic_store(&pool->gate, gate & ~OPEN);
    if (spin(has_emptied, pool, gate))
        return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->waiting, true);
    while (!has_emptied(pool, gate))
        pthread_cond_wait(&pool->idle, &pool->lock);
    atomic_store(&pool->waiting, false);
    pthread_mutex_unlock(&pool->lock);
}

/* The stack of a worker, several times as large as the library needs. The default of the C library
 * may be as small as 128 kB, and a large default would count against limits of the process. */
#define WORKER_STACK ((size_t)512 * 1024)

static void *worker_main(void *argument)
{
    Worker *self = argument;
    CofiPool *pool = self->pool;
    uint64_t seen = 0;
    for (;;) {
        await_job(pool, self->index, seen);
        if (atomic_load(&pool->quit))
            return NULL;
        seen = join_job(pool, self->index);
    }
}

/* Starts as many workers as the system allows. */
static void start_workers(CofiPool *pool, int threads)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return;
    /* A system that needs more than this keeps its default. */
    (void)pthread_attr_setstacksize(&attributes, WORKER_STACK);
    while (pool->size < threads) {
        Worker *worker = &pool->workers[pool->size - 1];
        *worker = (Worker){.pool = pool, .index = pool->size};
        if (pthread_create(&worker->thread, &attributes, worker_main, worker) != 0)
            break;
        pool->size++;
    }
    pthread_attr_destroy(&attributes);
}

CofiPool *cofi_pool_new(int threads)
{
    assert(threads >= 1);
    CofiPool *pool = cofi_calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->process = getpid();
    pool->size = 1;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);
    pool->workers = cofi_calloc((size_t)threads, sizeof *pool->workers);
    pool->job.shares = cofi_calloc((size_t)threads, sizeof *pool->job.shares);
    if (!pool->workers || !pool->job.shares) {
        cofi_pool_free(pool);
        return NULL;
    }
    start_workers(pool, threads);
    return pool;
}

/* Ends the threads. */
static void stop_workers(CofiPool *pool)
{
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->quit, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->size - 1; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
}

/* A forked child has the memory of the pool, but not its threads. */
static bool is_inherited(const CofiPool *pool)
{
    return pool->process != getpid();
}

void cofi_pool_free(CofiPool *pool)
{
    if (!pool)
        return;
    /* In a forked child, the lock may be held by a thread that does not exist there. */
    if (!is_inherited(pool))
        stop_workers(pool);
    cofi_free(pool->job.shares);
    cofi_free(pool->workers);
    cofi_free(pool);
}

int cofi_pool_size(const CofiPool *pool)
{
    return is_inherited(pool) ? 1 : pool->size;
}

void cofi_pool_rouse(CofiPool *pool, int threads)
{
    if (cofi_pool_size(pool) == 1)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->last_roused = threads - 1;
    pool->roused++;
    if (pool->sleepers > 0)
        pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

/* A signal may wake any sleeper, also one that may not join. */
static void wake_helpers(CofiPool *pool, int helpers)
{
    if (pool->job.workers < pool->size && pool->sleepers > 0)
        pthread_cond_broadcast(&pool->wake);
    else
        for (int i = 0; i < helpers && i < pool->sleepers; i++)
            pthread_cond_signal(&pool->wake);
}

void cofi_pool_run(CofiPool *pool, int threads, const CofiTasks *tasks)
{
    int n = tasks->n;
    assert(n >= 0);
    assert(tasks->task);
    assert(tasks->start_cost >= 0);
    assert(threads >= 1 && threads <= pool->size);
    CofiJob *job = &pool->job;
    job->tasks = *tasks;
    job->workers = threads < pool->size ? threads : pool->size;
    atomic_store(&job->done, 0);
    atomic_store(&job->stop, false);

    int helpers = n < 1 ? 0 : n < job->workers ? n - 1 : job->workers - 1;
    cofi_job_share_out(job, helpers + 1);
    if (helpers == 0) {
        job->gate = 0;
        cofi_job_work(job, 0);
        return;
    }
    uint64_t jobs = job_of(atomic_load(&pool->gate)) + 1;
    uint64_t gate = jobs * ONE_JOB + OPEN + (uint64_t)(job->workers - 1);
    job->gate = gate;
    atomic_store(&job->shares[0].gate, gate);
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->gate, gate);
    wake_helpers(pool, helpers);
    pthread_mutex_unlock(&pool->lock);

    cofi_job_work(job, 0);
    close_gate(pool, gate);
    atomic_store(&job->shares[0].gate, 0);
    cofi_job_finish(job);
}
