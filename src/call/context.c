/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept between calls: threads, scratch memory, tables and a device. */
#include "call/context.h"

#include <assert.h>

#include "base/status.h"
#include "device/load_module.h"
#include "options/option_info.h"

CofStatus cof_context_new(CofContext **out, int threads, CofProblem *problem)
{
    cofi_no_problem(problem);
    const CofOptionInfo *info = cof_option_find("threads");
    if (!out)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "out",
                                     "a required argument is NULL");
    if (!cofi_option_allows(info, threads))
        return cofi_option_problem(problem, info->name, cofi_option_range(info));
    CofContext *context = cofi_calloc(1, sizeof *context);
    if (!context)
        return cofi_status_problem(problem, COF_ERR_MEMORY);
    context->pool = cofi_pool_new(cofi_thread_count(threads));
    if (!context->pool) {
        cofi_free(context);
        return cofi_status_problem(problem, COF_ERR_MEMORY);
    }
    *out = context;
    return COF_OK;
}

/* A device by its name, or one of the caller. */
typedef struct DeviceRequest {
    const char *argument; /* that is at fault if it cannot be opened */
    const char *name;
    void *opencl_context, *opencl_device;
} DeviceRequest;

static CofStatus open_device(CofContext *context, const DeviceRequest *request, CofProblem *problem)
{
    const char *text = NULL;
    const CofiDeviceModule *module = cofi_load_module(&text);
    if (!module)
        return cofi_argument_problem(problem, COF_ERR_UNSUPPORTED, request->argument, text);
    context->module = module;
    context->takes_buffers = request->opencl_context != NULL;
    CofStatus status = context->takes_buffers
                           ? module->open_in(&context->device, request->opencl_context,
                                             request->opencl_device, &text)
                           : module->open(&context->device, request->name, &text);
    if (status == COF_ERR_MEMORY)
        return cofi_status_problem(problem, status);
    if (status != COF_OK)
        return cofi_argument_problem(problem, status, request->argument, text);
    context->process = cofi_device_process();
    return COF_OK;
}

static CofStatus new_with_device(CofContext **out, const DeviceRequest *request, int threads,
                                 CofProblem *problem)
{
    CofContext *context = NULL;
    if (!out)
        return cof_context_new(NULL, threads, problem);
    CofStatus status = cof_context_new(&context, threads, problem);
    if (status != COF_OK)
        return status;
    assert(context);
    status = open_device(context, request, problem);
    if (status == COF_OK)
        *out = context;
    else
        cof_context_free(&context);
    return status;
}

CofStatus cof_context_new_device(CofContext **out, const char *device, int threads,
                                 CofProblem *problem)
{
    DeviceRequest request = {.argument = "device", .name = device};
    return new_with_device(out, &request, threads, problem);
}

CofStatus cof_context_new_opencl(CofContext **out, void *opencl_context, void *opencl_device,
                                 int threads, CofProblem *problem)
{
    DeviceRequest request = {.argument = "opencl_device",
                             .opencl_context = opencl_context,
                             .opencl_device = opencl_device};
    if (!opencl_context || !opencl_device)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT,
                                     opencl_context ? "opencl_device" : "opencl_context",
                                     "a required argument is NULL");
    return new_with_device(out, &request, threads, problem);
}

void cof_context_free(CofContext **context)
{
    if (!context || !*context)
        return;
    if ((*context)->device && (*context)->process == cofi_device_process())
        (*context)->module->close((*context)->device);
    cofi_pool_free((*context)->pool);
    cofi_arena_clear(&(*context)->arena);
    for (int i = 0; i < COFI_KEPT_N; i++)
        cofi_free((*context)->kept[i]);
    cofi_free(*context);
    *context = NULL;
}

int cof_device_count(void)
{
    const char *text;
    const CofiDeviceModule *module = cofi_load_module(&text);
    return module ? module->count() : 0;
}

CofStatus cof_device_info(int index, CofDeviceInfo *info, CofProblem *problem)
{
    const char *text = NULL;
    cofi_no_problem(problem);
    if (!info)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "info",
                                     "a required argument is NULL");
    const CofiDeviceModule *module = cofi_load_module(&text);
    if (!module)
        return cofi_argument_problem(problem, COF_ERR_UNSUPPORTED, "index", text);
    if (module->count() == 0)
        return cofi_argument_problem(problem, COF_ERR_UNSUPPORTED, "index", module->none());
    CofDeviceInfo found = {.name = ""};
    if (!module->info(index, &found))
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "index",
                                     "there is no device of this index");
    *info = found;
    return COF_OK;
}
