/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of threads that run numbered tasks. */
#ifndef COF_THREAD_POOL_H
#define COF_THREAD_POOL_H

#include "base/job.h"

typedef struct CofiPool CofiPool;

/* Whether there can be several threads. Compilers leave out code for them where there cannot. */
#if defined(__wasm__)
#define COFI_HAS_THREADS 0
#else
#define COFI_HAS_THREADS 1
#endif

/* The number of threads; 0 means one per core. */
int cofi_thread_count(int threads);

/* A pool of that many threads, including the calling thread. It is smaller if the system refuses
 * some of them; NULL only without memory. In a child of fork(), which has none of the threads, the
 * size of an inherited pool is 1. */
CofiPool *cofi_pool_new(int threads);
void cofi_pool_free(CofiPool *pool);
int cofi_pool_size(const CofiPool *pool);

/* Wakes threads that sleep, so that so many are ready for a job that is about to come. May be
 * called by a task. */
void cofi_pool_rouse(CofiPool *pool, int threads);

/* Runs tasks on at most `threads` threads, and returns when they are done or were stopped. */
void cofi_pool_run(CofiPool *pool, int threads, const CofiTasks *tasks);

#endif
