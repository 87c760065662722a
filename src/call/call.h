/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of one public call: options, threads, scratch memory, progress, clock and report. */
#ifndef COF_CALL_H
#define COF_CALL_H

#include <stdbool.h>

#include "cof/cof.h"
#include "base/memory.h"
#include "base/thread_pool.h"

typedef struct CofiCall {
    CofOptions options; /* complete and checked */
    CofWork *work;
    bool own_work;
    int threads;                 /* the largest number of workers */
    double expected, done, step; /* units of progress: all, done, in this round */
    int step_tasks;
    double unit_scale;    /* scales units; below 1 for downscaled images */
    double last_reported; /* progress that was reported last, 0..1 */
    bool cancelled;
    CofStage stage;
    double stage_start;
} CofiCall;

/* Checks the options (NULL: defaults) and takes a CofWork. After COF_OK, cofi_call_end() must
 * follow. */
CofStatus cofi_call_begin(CofiCall *call, const CofOptions *options);
CofStatus cofi_call_end(CofiCall *call, CofStatus status);

/* Puts `problem` into the report and returns `status`. */
CofStatus cofi_call_fail(CofiCall *call, CofStatus status, const char *problem);

/* Adds to the units of work that cofi_call_tasks() and cofi_call_rows() will do. */
void cofi_call_expect(CofiCall *call, double units);

/* Starts the clock of a stage, and stops that of the last one. */
void cofi_call_stage(CofiCall *call, CofStage stage);

/* Divides the time since the stage began among several stages, in these proportions. */
void cofi_call_split(CofiCall *call, const double seconds[COF_STAGE_TOTAL]);

/* Seconds of a monotonic clock; 0 without a report. */
double cofi_call_clock(const CofiCall *call);

/* Zeroed scratch memory, freed by cofi_call_end() or by releasing an earlier mark. */
void *cofi_call_take(CofiCall *call, size_t count, size_t size);
void *cofi_call_take_raw(CofiCall *call, size_t count, size_t size); /* not zeroed */
CofiMark cofi_call_mark(const CofiCall *call);
void cofi_call_release(CofiCall *call, CofiMark mark);

/* Runs n tasks that are worth `units` of progress. Returns COF_ERR_CANCELLED if the caller asked to
 * stop; some tasks may not have run then. */
CofStatus cofi_call_tasks(CofiCall *call, int n, double units, CofiTask *task, void *context);

/* Runs `work` on bands of rows, first..last-1 each, with `units` of progress in all. */
typedef void CofiRows(void *context, int first, int last, int worker);
CofStatus cofi_call_rows(CofiCall *call, int rows, double units, CofiRows *work, void *context);

#endif
