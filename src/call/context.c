/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept between calls: threads, scratch memory and a device. */
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

static CofStatus open_device(CofContext *context, const char *device, CofProblem *problem)
{
    const char *text = NULL;
    context->module = cofi_load_module(&text);
    if (!context->module)
        return cofi_argument_problem(problem, COF_ERR_UNSUPPORTED, "device", text);
    CofStatus status = context->module->open(&context->device, device, &text);
    if (status == COF_ERR_MEMORY)
        return cofi_status_problem(problem, status);
    if (status != COF_OK)
        return cofi_argument_problem(problem, status, "device", text);
    context->process = cofi_device_process();
    return COF_OK;
}

CofStatus cof_context_new_device(CofContext **out, const char *device, int threads,
                                 CofProblem *problem)
{
    CofContext *context = NULL;
    if (!out)
        return cof_context_new(NULL, threads, problem);
    CofStatus status = cof_context_new(&context, threads, problem);
    if (status != COF_OK)
        return status;
    assert(context);
    status = open_device(context, device, problem);
    if (status == COF_OK)
        *out = context;
    else
        cof_context_free(&context);
    return status;
}

void cof_context_free(CofContext **context)
{
    if (!context || !*context)
        return;
    if ((*context)->device && (*context)->process == cofi_device_process())
        (*context)->module->close((*context)->device);
    cofi_pool_free((*context)->pool);
    cofi_arena_clear(&(*context)->arena);
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
