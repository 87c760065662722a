/* SPDX-License-Identifier: BSD-2-Clause */
/* What one public call carries with it: its threads, scratch, progress, clock and report. */
#ifndef COF_CALL_H
#define COF_CALL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cof/cof.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "device/device_module.h"

/* The number of stages, which is no stage itself. */
#define COFI_STAGES (COF_STAGE_STORE + 1)

/* An image in a buffer of the caller, and the memory of the host that stands for it. */
typedef struct CofiResident {
    void *memory;  /* a cl_mem; NULL: the image is in the memory of the host */
    uint8_t *host; /* packed rows */
    size_t stride; /* of the buffer */
    size_t row_bytes;
    int rows;
    bool is_current; /* of an input: the host has its pixels; of an output: the buffer has them */
} CofiResident;

/* Work for threads that a job leaves idle. Each task is done once at most; what is not done then
 * has to be done later. */
typedef struct CofiSpareTasks {
    int n;
    CofiTask *task;
    void *context;
    atomic_int next; /* the first that has not been begun */
} CofiSpareTasks;

typedef struct CofiCall {
    CofOptions options; /* complete and checked */
    CofContext *context;
    bool own_context;
    const CofiDeviceModule *module; /* of the device; NULL: none */
    CofiDevice *device;
    CofiResident resident_in, resident_out;
    int threads;                 /* at most this many workers take part */
    double expected, done, step; /* progress: all units, those done, those of this stage */
    int step_tasks;
    double unit_scale;    /* of a unit: less than 1 for a downscaled image */
    double last_reported; /* last fraction reported, 0..1 */
    double last_report_time;
    bool cancelled;
    bool keeps_rare;       /* separation does not give rare labels less weight */
    CofiSpareTasks *spare; /* NULL: none */
    CofStage stage;
    double stage_start;
} CofiCall;

/* Checks the options (NULL: defaults) and takes a CofContext. After COF_OK, cofi_call_end() must
 * follow. */
CofStatus cofi_call_begin(CofiCall *call, const CofOptions *options);
CofStatus cofi_call_end(CofiCall *call, CofStatus status);

/* Each writes a problem, if options.problem is set, and returns its status. */
CofStatus cofi_call_fail(const CofiCall *call, CofStatus status, const char *text);
CofStatus cofi_call_fail_argument(const CofiCall *call, CofStatus status, const char *argument,
                                  const char *text);
CofStatus cofi_call_fail_option(const CofiCall *call, const char *option, const char *text);

/* Adds to a problem which image of an array is at fault, and returns its status. */
CofStatus cofi_call_fail_index(const CofiCall *call, CofStatus status, int index);

/* For functions that share code: the caller knows the argument at fault by another name. */
void cofi_call_rename_argument(const CofiCall *call, const char *shared, const char *argument);

/* How much there is to do, in any unit; cofi_call_tasks() and cofi_call_rows() count against it. */
void cofi_call_expect(CofiCall *call, double units);

/* From here on time is spent in this stage. */
void cofi_call_stage(CofiCall *call, CofStage stage);

/* The time since the stage began goes to several stages, in these proportions. */
void cofi_call_split(CofiCall *call, const double seconds[COFI_STAGES]);

/* Seconds on some clock, if there is a report to fill. */
double cofi_call_clock(const CofiCall *call);

/* Scratch that lasts until cofi_call_end(), or until what was marked before it is released; zeroed.
 */
void *cofi_call_take(CofiCall *call, size_t count, size_t size);
void *cofi_call_take_raw(CofiCall *call, size_t count, size_t size); /* not zeroed */
CofiMark cofi_call_mark(const CofiCall *call);
void cofi_call_release(CofiCall *call, CofiMark mark);

/* Reports progress now and then, for long work outside of tasks. COF_ERR_CANCELLED as below. */
CofStatus cofi_call_poll(CofiCall *call);

/* Runs n tasks that are worth `units` of progress. COF_ERR_CANCELLED if the caller asked to stop;
 * then some were not run. */
CofStatus cofi_call_tasks(CofiCall *call, int n, double units, CofiTask *task, void *context);

/* As cofi_call_tasks(), for tasks that cost less if they follow the last one of their thread: each
 * of the others costs as much as 1 + start_cost of these. */
CofStatus cofi_call_consecutive_tasks(CofiCall *call, int n, int start_cost, double units,
                                      CofiTask *task, void *context);

/* As cofi_call_tasks(), for tasks of which the first few take long: they are begun in order, and
 * threads that find none left do spare tasks of the call until the last one is done. The job counts
 * for no progress, and can be cancelled only before it and after it. */
CofStatus cofi_call_few_tasks(CofiCall *call, int n, CofiTask *task, void *context);

/* Tasks for all threads will follow soon: wakes those that sleep. May be called by a task. */
void cofi_call_rouse(const CofiCall *call);

/* The same for rows first..last-1, in bands. */
typedef void CofiRows(void *context, int first, int last, int worker);
CofStatus cofi_call_rows(CofiCall *call, int rows, double units, CofiRows *work, void *context);

/* Does n steps one after another on the calling thread, each as the task of its index, until one
 * fails. They are worth `units` of progress. */
typedef CofStatus CofiStep(void *context, int index);
CofStatus cofi_call_steps(CofiCall *call, int n, double units, CofiStep *step, void *context);

/* As cofi_call_rows(), for rows of the output. It reports no progress and cannot be cancelled, so
 * that the output is either untouched or complete. */
void cofi_call_output_rows(CofiCall *call, int rows, double units, CofiRows *work, void *context);

#endif
