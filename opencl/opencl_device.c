/* SPDX-License-Identifier: BSD-2-Clause */
/* An open device: its queue and kernels, buffers and errors. */
#include "opencl_device.h"

#include <stdio.h>
#include <stdlib.h>

#include "opencl_fast_program.h"
#include "opencl_library.h"
#include "opencl_memory.h"
#include "opencl_program.h"

/* Pixels of an item of the exact filter, and the local memory that these need. */
#define MORE_PIXELS 8
#define FEWER_PIXELS 4
#define LOCAL_MEMORY_MORE 38656
#define LOCAL_MEMORY_FEWER 26880

static const char *const kernel_names[COFCL_KERNELS] = {
    [COFCL_LOAD] = "load_values",
    [COFCL_STORE] = "store_values",
    [COFCL_LABEL_GREY] = "label_grey",
    [COFCL_HISTOGRAM] = "count_labels",
    [COFCL_COUNT] = "count_pairs",
    [COFCL_COUNT_FEW] = "count_few_pairs",
    [COFCL_PASS] = "filter_pass",
    [COFCL_FIND_ALPHAS] = "find_alphas",
    [COFCL_KEEP] = "keep_values",
    [COFCL_SUBTRACT] = "subtract_from_bytes",
    [COFCL_ADD_KEPT] = "add_kept",
    [COFCL_ADD_TO_MEAN] = "add_to_mean",
    [COFCL_ROUND_BYTES] = "round_bytes",
    [COFCL_MARK_WEIGHTS] = "mark_weights",
    [COFCL_REFINE] = "refine",
    [COFCL_REFINE_SMALL] = "refine_small",
    [COFCL_LABEL_BYTES] = "label_bytes",
    [COFCL_LABEL_VALUES] = "label_values",
    [COFCL_LOAD_AND_LABEL] = "load_and_label",
    [COFCL_LOAD_WIDE] = "load_wide",
    [COFCL_STORE_WIDE] = "store_wide",
    [COFCL_LABEL_WIDE] = "label_wide",
    [COFCL_LABEL_BINS] = "label_bins",
    [COFCL_SUBTRACT_WIDE] = "subtract_from_wide",
    [COFCL_LABEL_GREY_VALUES] = "label_grey_values",
    [COFCL_LABEL_RGB_VALUES] = "label_rgb_values",
    [COFCL_ROUND_WORDS] = "round_words",
};

CofStatus cofcl_status(ClInt error)
{
    switch (error) {
    case CLI_SUCCESS:
        return COF_OK;
    case CLI_MEM_OBJECT_ALLOCATION_FAILURE:
    case CLI_OUT_OF_HOST_MEMORY:
    case CLI_INVALID_BUFFER_SIZE:
        return COF_ERR_MEMORY;
    default:
        return COF_ERR_UNSUPPORTED;
    }
}

static bool open_queue(CofiDevice *d)
{
    ClInt error;
    if (!d->context)
        d->context = d->cl->clCreateContext(NULL, 1, &d->found.id, NULL, NULL, &error);
    if (d->context)
        d->queue = d->cl->clCreateCommandQueue(d->context, d->found.id, 0, &error);
    return d->queue != NULL;
}

static bool open_kernels(CofiDevice *d)
{
    bool has_double = d->found.info.has_double;
    char options[64];
    ClInt error;
    d->pixels = d->found.local_memory >= LOCAL_MEMORY_MORE ? MORE_PIXELS : FEWER_PIXELS;
    snprintf(options, sizeof options, COFCL_OPTIONS " -DPIXELS=%d%s", d->pixels,
             has_double ? " -DCOF_FP64" : "");
    d->program = cofcl_program_new(d->cl, d->context, &d->found, options);
    if (!d->program)
        return false;
    int n = has_double ? COFCL_KERNELS : COFCL_LABEL_BYTES;
    for (int i = 0; i < n; i++)
        if (!(d->kernels[i] = d->cl->clCreateKernel(d->program, kernel_names[i], &error)))
            return false;
    return true;
}

/* Why the device cannot be used; NULL: it can. */
static const char *open_found(CofiDevice *d)
{
    if (d->found.largest_group < ITEMS || d->found.local_memory < LOCAL_MEMORY_FEWER)
        return "the OpenCL device is too small: its work-groups or their memory";
    if (!open_queue(d))
        return "the OpenCL device cannot be opened";
    return open_kernels(d) ? NULL : "the OpenCL driver cannot compile the kernels";
}

/* Opens what was found, and frees it if that fails. */
static CofStatus finish_opening(CofiDevice *d, CofiDevice **device, const char **problem)
{
    *problem = open_found(d);
    if (*problem)
        cofcl_close(d);
    else
        *device = d;
    return *problem ? COF_ERR_UNSUPPORTED : COF_OK;
}

CofStatus cofcl_open(CofiDevice **device, const char *name, const char **problem)
{
    CofiDevice *d = calloc(1, sizeof *d);
    if (!d)
        return COF_ERR_MEMORY;
    if (!cofcl_find_device(name, &d->found, problem)) {
        free(d);
        return COF_ERR_UNSUPPORTED;
    }
    d->cl = cofcl_library();
    return finish_opening(d, device, problem);
}

CofStatus cofcl_open_in(CofiDevice **device, void *context, void *id, const char **problem)
{
    CofiDevice *d = calloc(1, sizeof *d);
    if (!d)
        return COF_ERR_MEMORY;
    if (!cofcl_find_id(id, &d->found, problem)) {
        free(d);
        return COF_ERR_UNSUPPORTED;
    }
    d->cl = cofcl_library();
    if (d->cl->clRetainContext(context) == CLI_SUCCESS)
        d->context = context;
    return finish_opening(d, device, problem);
}

void cofcl_close(CofiDevice *d)
{
    for (int i = 0; i < COFCL_KERNELS; i++)
        if (d->kernels[i])
            d->cl->clReleaseKernel(d->kernels[i]);
    for (int i = 0; i < COFCL_FAST_PROGRAMS; i++)
        cofcl_fast_program_free(d, &d->fast[i]);
    if (d->program)
        d->cl->clReleaseProgram(d->program);
    if (d->queue) {
        cofcl_memory_free(d);
        d->cl->clReleaseCommandQueue(d->queue);
    }
    if (d->context)
        d->cl->clReleaseContext(d->context);
    free(d);
}

const CofDeviceInfo *cofcl_opened(const CofiDevice *device)
{
    return &device->found.info;
}

CofStatus cofcl_write(CofiDevice *d, ClMemory buffer, const void *from, size_t size)
{
    return cofcl_status(
        d->cl->clEnqueueWriteBuffer(d->queue, buffer, 1, 0, size, from, 0, NULL, NULL));
}

CofStatus cofcl_read(CofiDevice *d, ClMemory buffer, void *to, size_t size)
{
    return cofcl_status(
        d->cl->clEnqueueReadBuffer(d->queue, buffer, 1, 0, size, to, 0, NULL, NULL));
}

CofStatus cofcl_clear(CofiDevice *d, ClMemory buffer, size_t size)
{
    uint32_t zero = 0;
    return cofcl_status(
        d->cl->clEnqueueFillBuffer(d->queue, buffer, &zero, sizeof zero, 0, size, 0, NULL, NULL));
}

CofStatus cofcl_finish(CofiDevice *d)
{
    return cofcl_status(d->cl->clFinish(d->queue));
}

static ClInt set_arguments(const CofiDevice *d, ClKernel kernel, const char *types, va_list list)
{
    ClInt error = CLI_SUCCESS;
    for (ClUint i = 0; types[i] && error == CLI_SUCCESS; i++) {
        ClMemory memory;
        int32_t integer;
        double number;
        float single;
        size_t size;
        switch (types[i]) {
        case 'm':
            memory = va_arg(list, ClMemory);
            error = d->cl->clSetKernelArg(kernel, i, sizeof memory, &memory);
            break;
        case 'i':
            integer = va_arg(list, int);
            error = d->cl->clSetKernelArg(kernel, i, sizeof integer, &integer);
            break;
        case 'd':
            number = va_arg(list, double);
            error = d->cl->clSetKernelArg(kernel, i, sizeof number, &number);
            break;
        case 'f':
            single = (float)va_arg(list, double);
            error = d->cl->clSetKernelArg(kernel, i, sizeof single, &single);
            break;
        default:
            size = va_arg(list, size_t);
            error = d->cl->clSetKernelArg(kernel, i, size, va_arg(list, const void *));
        }
    }
    return error;
}

size_t cofcl_groups(size_t n)
{
    return (n + ITEMS - 1) / ITEMS;
}

CofStatus cofcl_run_kernel(CofiDevice *d, ClKernel kernel, size_t items, size_t wide, size_t high,
                           const char *types, va_list arguments)
{
    size_t local[2] = {items, 1}, global[2] = {wide * items, high};
    ClInt error = set_arguments(d, kernel, types, arguments);
    if (error == CLI_SUCCESS)
        error =
            d->cl->clEnqueueNDRangeKernel(d->queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    return cofcl_status(error);
}

CofStatus cofcl_run(CofiDevice *d, CofclKernel kernel, size_t wide, size_t high, const char *types,
                    ...)
{
    va_list list;
    va_start(list, types);
    bool fewer = kernel == COFCL_PASS || kernel == COFCL_REFINE || kernel == COFCL_REFINE_SMALL;
    CofStatus status = cofcl_run_kernel(d, d->kernels[kernel], fewer ? PASS_ITEMS : ITEMS, wide,
                                        high, types, list);
    va_end(list);
    return status;
}
