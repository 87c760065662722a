/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the kernels, or takes them from the cache. */
#include "opencl_program.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_source.h"
#include "program_cache.h"

typedef struct Building {
    const OpenClApi *cl;
    ClContext context;
    const CofclDevice *device;
    const char *options;
} Building;

/* Programs depend on device, driver, options and source. */
static char *new_key(const Building *b)
{
    const CofDeviceInfo *info = &b->device->info;
    static const char format[] = "%s\n%s\n%s\n%s\n%s";
    int size = snprintf(NULL, 0, format, info->platform, info->name, b->device->versions,
                        b->options, kernel_source);
    char *key = size > 0 ? malloc((size_t)size + 1) : NULL;
    if (key)
        snprintf(key, (size_t)size + 1, format, info->platform, info->name, b->device->versions,
                 b->options, kernel_source);
    return key;
}

/* Builds a program; frees it if that fails. */
static ClProgram built(const Building *b, ClProgram program)
{
    if (!program)
        return NULL;
    if (b->cl->clBuildProgram(program, 1, &b->device->id, b->options, NULL, NULL) == CLI_SUCCESS)
        return program;
    b->cl->clReleaseProgram(program);
    return NULL;
}

static ClProgram from_cache(const Building *b, const char *key)
{
    size_t size;
    unsigned char *bytes = cofcl_cache_read(key, &size);
    const unsigned char *binary = bytes;
    ClInt error = CLI_SUCCESS, status = CLI_SUCCESS;
    if (!bytes)
        return NULL;
    ClProgram program = b->cl->clCreateProgramWithBinary(b->context, 1, &b->device->id, &size,
                                                         &binary, &status, &error);
    free(bytes);
    return built(b, program);
}

static ClProgram from_source(const Building *b)
{
    const char *source = kernel_source;
    ClInt error;
    return built(b, b->cl->clCreateProgramWithSource(b->context, 1, &source, NULL, &error));
}

static void keep(const Building *b, ClProgram program, const char *key)
{
    size_t size = 0;
    if (b->cl->clGetProgramInfo(program, CLI_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) ||
        size == 0)
        return;
    unsigned char *bytes = malloc(size);
    if (bytes && b->cl->clGetProgramInfo(program, CLI_PROGRAM_BINARIES, sizeof bytes, &bytes,
                                         NULL) == CLI_SUCCESS)
        cofcl_cache_write(key, bytes, size);
    free(bytes);
}

ClProgram cofcl_program_new(const OpenClApi *cl, ClContext context, const CofclDevice *device,
                            const char *options)
{
    Building building = {cl, context, device, options};
    char *key = new_key(&building);
    ClProgram program = key ? from_cache(&building, key) : NULL;
    if (!program) {
        program = from_source(&building);
        if (program && key)
            keep(&building, program, key);
    }
    free(key);
    return program;
}
