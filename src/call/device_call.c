/* SPDX-License-Identifier: BSD-2-Clause */
/* A call that uses the device of its context. */
#include "call/device_call.h"

#include <string.h>

#include "base/status.h"
#include "call/context.h"
#include "device/load_module.h"
#include "options/options.h"

void cofi_call_use_device(CofiCall *call)
{
    const CofContext *context = call->context;
    CofReport *report = call->options.report;
    if (!context->device)
        return;
    if (context->process != cofi_device_process()) {
        cofi_call_left_to_cpu(call, "the device belongs to the parent process");
        return;
    }
    call->module = context->module;
    call->device = context->device;
    if (COFI_REPORT_HAS(report, device))
        memcpy(report->device, call->module->opened(call->device)->name, sizeof report->device);
}

void cofi_call_ran_on_device(const CofiCall *call, CofStage stage)
{
    if (COFI_REPORT_HAS(call->options.report, device_stages))
        call->options.report->device_stages |= 1u << stage;
}

void cofi_call_ends_on_cpu(const CofiCall *call, CofStage stage)
{
    if (COFI_REPORT_HAS(call->options.report, device_stages))
        call->options.report->device_stages &= ~(1u << stage);
}

void cofi_call_left_to_cpu(const CofiCall *call, const char *reason)
{
    CofReport *report = call->options.report;
    if (COFI_REPORT_HAS(report, device_note) && !report->device_note)
        report->device_note = reason;
}

CofStatus cofi_call_check_device(const CofiCall *call, CofStatus status)
{
    return status == COF_ERR_UNSUPPORTED
               ? cofi_problem(call->options.problem, status, "the device failed")
               : status;
}

CofStatus cofi_call_check_begun(const CofiCall *call, CofStatus status)
{
    return status == COF_ERR_MEMORY
               ? cofi_problem(call->options.problem, COF_ERR_UNSUPPORTED, COFI_DEVICE_MEMORY)
               : cofi_call_check_device(call, status);
}
