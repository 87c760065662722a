/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a device module with dlopen(). */
#define _GNU_SOURCE /* dladdr() */
#include "device/load_module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE "libcof-opencl.so"
#define MAX_PATH 4096

/* Modules are never closed: drivers leave threads and exit handlers behind. */
static void *load(const char *folder, int length, const char *below)
{
    char path[MAX_PATH];
    int size = snprintf(path, sizeof path, "%.*s%s/" MODULE, length, folder, below);
    return size > 0 && size < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void *load_beside_library(void)
{
    Dl_info info;
    if (!dladdr((const void *)cofi_load_module, &info) || !info.dli_fname)
        return NULL;
    const char *end = strrchr(info.dli_fname, '/');
    int length = end ? (int)(end - info.dli_fname) : 0;
    if (!end || length > MAX_PATH - 100)
        return NULL;
    /* Installed, in a Python package, and in a build folder. */
    static const char *const below[] = {"/cof", "", "/../opencl"};
    void *module = NULL;
    for (int i = 0; i < 3 && !module; i++)
        module = load(info.dli_fname, length, below[i]);
    return module;
}

/* A program that runs with the rights of another user loads no module that its caller chose. */
static const char *chosen_folder(void)
{
    return getuid() == geteuid() && getgid() == getegid() ? getenv("COF_MODULE_PATH") : NULL;
}

const CofiDeviceModule *cofi_load_module(const char **problem)
{
    const char *folder = chosen_folder();
    void *library =
        folder ? load(folder, (int)strnlen(folder, MAX_PATH), "") : load_beside_library();
#ifdef COF_MODULES
    if (!library && !folder)
        library = load(COF_MODULES, (int)strlen(COF_MODULES), "");
#endif
    *problem = "the module " MODULE " is not installed, or cannot be loaded";
    const CofiDeviceModule *module = library ? dlsym(library, COFI_DEVICE_SYMBOL) : NULL;
    if (!module)
        return NULL;
    *problem = "the module " MODULE " belongs to another version of libcof";
    return module->version == COFI_DEVICE_VERSION ? module : NULL;
}

long cofi_device_process(void)
{
    return (long)getpid();
}
