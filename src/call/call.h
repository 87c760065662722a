/* SPDX-License-Identifier: BSD-2-Clause */
/* What one public call carries with it: its threads, scratch, progress, clock and report. */
#ifndef COF_CALL_H
#define COF_CALL_H

#include <stdbool.h>

#include "cof/cof.h"
#include "base/memory.h"
#include "base/thread_pool.h"

typedef struct CofiRun {
    CofOptions options; /* complete and checked */
    CofWork *work;
    bool own_work;
    int threads;                 /* at most this many workers take part */
    double expected, done, step; /* progress: all units, those behind us, those of this stage */
    int step_tasks;
    double worth; /* of a unit: less than 1 where the picture is reduced */
    double told;  /* of 0..1: what the caller has heard last */
    bool cancelled;
    CofStage stage;
    double stage_start;
} CofiRun;

/* Checks the options (NULL: defaults) and takes a CofWork. After COF_OK, cofi_run_end() must
 * follow. */
CofStatus cofi_run_begin(CofiRun *run, const CofOptions *options);
CofStatus cofi_run_end(CofiRun *run, CofStatus status);

/* Puts `problem` into the report and returns `status`. */
CofStatus cofi_run_fail(CofiRun *run, CofStatus status, const char *problem);

/* How much there is to do, in any unit; cofi_run_tasks() and cofi_run_rows() count against it. */
void cofi_run_expect(CofiRun *run, double units);

/* From here on time is spent in this stage. */
void cofi_run_stage(CofiRun *run, CofStage stage);

/* The time since the stage began goes to several stages, in these proportions. */
void cofi_run_split(CofiRun *run, const double seconds[COF_STAGE_TOTAL]);

/* Seconds on some clock, if there is a report to fill. */
double cofi_run_clock(const CofiRun *run);

/* Scratch that lasts until cofi_run_end(), or until what was marked before it is released; zeroed.
 */
void *cofi_run_take(CofiRun *run, size_t count, size_t size);
void *cofi_run_take_raw(CofiRun *run, size_t count, size_t size); /* not zeroed */
CofiMark cofi_run_mark(const CofiRun *run);
void cofi_run_release(CofiRun *run, CofiMark mark);

/* Runs n tasks that are worth `units` of progress. COF_ERR_CANCELLED if the caller asked to stop;
 * then some were not run. */
CofStatus cofi_run_tasks(CofiRun *run, int n, double units, CofiTask *task, void *context);

/* The same for rows first..last-1, in bands. */
typedef void CofiRows(void *context, int first, int last, int worker);
CofStatus cofi_run_rows(CofiRun *run, int rows, double units, CofiRows *work, void *context);

#endif
