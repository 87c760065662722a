/* SPDX-License-Identifier: BSD-2-Clause */
/* A call that uses the device of its context: what ran there. */
#ifndef COF_DEVICE_CALL_H
#define COF_DEVICE_CALL_H

#include "call/call.h"
#include "device/device_module.h"

/* Uses the device of the context, if it has one. */
void cofi_call_use_device(CofiCall *call);

/* Notes in the report that a stage ran on the device, or that the CPU ends it; or why one was left
 * to the CPU: the first reason remains. */
void cofi_call_ran_on_device(const CofiCall *call, CofStage stage);
void cofi_call_ends_on_cpu(const CofiCall *call, CofStage stage);
void cofi_call_left_to_cpu(const CofiCall *call, const char *reason);

/* The reason if the device lacks memory. */
#define COFI_DEVICE_MEMORY "the memory of the device is not sufficient"

/* Writes the problem if the device failed, and returns the status. COF_ERR_MEMORY leaves the work
 * to the CPU before it has begun; later, it is a failure, too. */
CofStatus cofi_call_check_device(const CofiCall *call, CofStatus status);
CofStatus cofi_call_check_begun(const CofiCall *call, CofStatus status);

#endif
