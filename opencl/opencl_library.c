/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libOpenCL with dlopen(). */
#include "opencl_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static OpenClApi api;
static bool is_complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* POSIX allows a function to be copied out of a void pointer, C does not. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

static void load_library(void)
{
#ifdef __APPLE__
    static const char *const names[] = {"/System/Library/Frameworks/OpenCL.framework/OpenCL"};
#else
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so"};
#endif
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof names[0]; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    is_complete = true;
#define FIND(name, result, parameters) \
    is_complete = find(library, #name, &api.name, sizeof api.name) && is_complete;
    COF_OPENCL_FUNCTIONS(FIND)
#undef FIND
}

const OpenClApi *cofcl_library(void)
{
    pthread_once(&once, load_library);
    return is_complete ? &api : NULL;
}
