/* SPDX-License-Identifier: BSD-2-Clause */
/* A libOpenCL that calls the real one, and fails on purpose. */
#include "failing_opencl.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

FailingOpenCl failing_opencl;

static void *real(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen(getenv("COF_TEST_OPENCL"), RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, name) : NULL;
    if (!symbol)
        abort();
    return symbol;
}

static bool fails(const char *name)
{
    FailingOpenCl *f = &failing_opencl;
    if (!f->function || strcmp(f->function, name) != 0 || f->call == 0 || --f->call > 0)
        return false;
    f->has_failed = 1;
    return true;
}

#define CALL(result, name, parameters, arguments) \
    result(*function) parameters; \
    void *symbol = real(#name); \
    memcpy(&function, &symbol, sizeof function); \
    return function arguments

/* Functions that return an error, and those that write it to their last argument. */
#define RETURNS(name, parameters, arguments) \
    ClInt name parameters; \
    ClInt name parameters \
    { \
        if (fails(#name)) \
            return failing_opencl.error; \
        CALL(ClInt, name, parameters, arguments); \
    }
#define WRITES(result, name, parameters, arguments) \
    result name parameters; \
    result name parameters \
    { \
        if (fails(#name)) { \
            *error = failing_opencl.error; \
            return NULL; \
        } \
        CALL(result, name, parameters, arguments); \
    }

RETURNS(clGetPlatformIDs, (ClUint n, ClPlatform *list, ClUint *found), (n, list, found))
RETURNS(clGetPlatformInfo, (ClPlatform id, ClUint what, size_t size, void *value, size_t *length),
        (id, what, size, value, length))
RETURNS(clGetDeviceIDs, (ClPlatform id, ClBits type, ClUint n, ClDevice *list, ClUint *found),
        (id, type, n, list, found))
WRITES(ClContext, clCreateContext,
       (const intptr_t *properties, ClUint n, const ClDevice *list,
        void (*tell)(const char *, const void *, size_t, void *), void *user, ClInt *error),
       (properties, n, list, tell, user, error))
RETURNS(clRetainContext, (ClContext context), (context))
RETURNS(clReleaseContext, (ClContext context), (context))
WRITES(ClQueue, clCreateCommandQueue,
       (ClContext context, ClDevice id, ClBits properties, ClInt *error),
       (context, id, properties, error))
RETURNS(clReleaseCommandQueue, (ClQueue queue), (queue))
WRITES(ClMemory, clCreateBuffer,
       (ClContext context, ClBits flags, size_t size, void *host, ClInt *error),
       (context, flags, size, host, error))
RETURNS(clReleaseMemObject, (ClMemory memory), (memory))
WRITES(ClProgram, clCreateProgramWithSource,
       (ClContext context, ClUint n, const char **text, const size_t *sizes, ClInt *error),
       (context, n, text, sizes, error))
WRITES(ClProgram, clCreateProgramWithBinary,
       (ClContext context, ClUint n, const ClDevice *list, const size_t *sizes,
        const unsigned char **binaries, ClInt *status, ClInt *error),
       (context, n, list, sizes, binaries, status, error))
RETURNS(clReleaseProgram, (ClProgram program), (program))
RETURNS(clBuildProgram,
        (ClProgram program, ClUint n, const ClDevice *list, const char *options,
         void (*tell)(ClProgram, void *), void *user),
        (program, n, list, options, tell, user))
RETURNS(clGetProgramInfo,
        (ClProgram program, ClUint what, size_t size, void *value, size_t *length),
        (program, what, size, value, length))
WRITES(ClKernel, clCreateKernel, (ClProgram program, const char *name, ClInt *error),
       (program, name, error))
RETURNS(clReleaseKernel, (ClKernel kernel), (kernel))
RETURNS(clSetKernelArg, (ClKernel kernel, ClUint index, size_t size, const void *value),
        (kernel, index, size, value))
RETURNS(clFlush, (ClQueue queue), (queue))
RETURNS(clFinish, (ClQueue queue), (queue))
RETURNS(clEnqueueReadBuffer,
        (ClQueue queue, ClMemory memory, ClUint wait, size_t offset, size_t size, void *to,
         ClUint n, const ClEvent *list, ClEvent *event),
        (queue, memory, wait, offset, size, to, n, list, event))
RETURNS(clEnqueueWriteBuffer,
        (ClQueue queue, ClMemory memory, ClUint wait, size_t offset, size_t size, const void *from,
         ClUint n, const ClEvent *list, ClEvent *event),
        (queue, memory, wait, offset, size, from, n, list, event))
RETURNS(clEnqueueReadBufferRect,
        (ClQueue queue, ClMemory memory, ClUint wait, const size_t *from, const size_t *to,
         const size_t *region, size_t row, size_t slice, size_t to_row, size_t to_slice, void *host,
         ClUint n, const ClEvent *list, ClEvent *event),
        (queue, memory, wait, from, to, region, row, slice, to_row, to_slice, host, n, list, event))
RETURNS(clEnqueueCopyBufferRect,
        (ClQueue queue, ClMemory from, ClMemory to, const size_t *from_origin,
         const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
         size_t to_row, size_t to_slice, ClUint n, const ClEvent *list, ClEvent *event),
        (queue, from, to, from_origin, to_origin, region, from_row, from_slice, to_row, to_slice, n,
         list, event))
RETURNS(clEnqueueWriteBufferRect,
        (ClQueue queue, ClMemory memory, ClUint wait, const size_t *to, const size_t *from,
         const size_t *region, size_t row, size_t slice, size_t from_row, size_t from_slice,
         const void *host, ClUint n, const ClEvent *list, ClEvent *event),
        (queue, memory, wait, to, from, region, row, slice, from_row, from_slice, host, n, list,
         event))
RETURNS(clEnqueueFillBuffer,
        (ClQueue queue, ClMemory memory, const void *pattern, size_t pattern_size, size_t offset,
         size_t size, ClUint n, const ClEvent *list, ClEvent *event),
        (queue, memory, pattern, pattern_size, offset, size, n, list, event))
WRITES(void *, clEnqueueMapBuffer,
       (ClQueue queue, ClMemory memory, ClUint wait, ClBits flags, size_t offset, size_t size,
        ClUint n, const ClEvent *list, ClEvent *event, ClInt *error),
       (queue, memory, wait, flags, offset, size, n, list, event, error))
RETURNS(clEnqueueUnmapMemObject,
        (ClQueue queue, ClMemory memory, void *mapped, ClUint n, const ClEvent *list,
         ClEvent *event),
        (queue, memory, mapped, n, list, event))
RETURNS(clEnqueueNDRangeKernel,
        (ClQueue queue, ClKernel kernel, ClUint axes, const size_t *offset, const size_t *global,
         const size_t *local, ClUint n, const ClEvent *list, ClEvent *event),
        (queue, kernel, axes, offset, global, local, n, list, event))

static ClInt real_device_info(ClDevice id, ClUint what, size_t size, void *value, size_t *length)
{
    CALL(ClInt, clGetDeviceInfo, (ClDevice, ClUint, size_t, void *, size_t *),
         (id, what, size, value, length));
}

ClInt clGetDeviceInfo(ClDevice id, ClUint what, size_t size, void *value, size_t *length);
ClInt clGetDeviceInfo(ClDevice id, ClUint what, size_t size, void *value, size_t *length)
{
    bool is_memory = what == CLI_DEVICE_GLOBAL_MEM_SIZE || what == CLI_DEVICE_MAX_MEM_ALLOC_SIZE;
    uint64_t smaller = is_memory                           ? failing_opencl.memory
                       : what == CLI_DEVICE_LOCAL_MEM_SIZE ? 32768
                                                           : 0;
    bool changed = (what == CLI_DEVICE_DOUBLE_FP_CONFIG && failing_opencl.no_double) ||
                   (what == CLI_DEVICE_LOCAL_MEM_SIZE && failing_opencl.small_work_group) ||
                   (is_memory && failing_opencl.memory > 0);
    ClInt error = real_device_info(id, what, size, value, length);
    if (changed && value)
        memcpy(value, &smaller, sizeof smaller);
    return error;
}
