/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of all OpenCL platforms. */
#include "opencl_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "opencl_library.h"

#define MAX_PLATFORMS 16
#define NAME_PREFIX "opencl:"

/* A text of a device or platform, cut to `size`. */
#define VERSION_SIZE 128
static void device_text(const OpenClApi *cl, ClDevice id, ClUint what, char *text, size_t size)
{
    char whole[1024] = "";
    cl->clGetDeviceInfo(id, what, sizeof whole - 1, whole, NULL);
    snprintf(text, size, "%s", whole);
}

static void platform_text(const OpenClApi *cl, ClPlatform id, ClUint what, char *text, size_t size)
{
    char whole[1024] = "";
    cl->clGetPlatformInfo(id, what, sizeof whole - 1, whole, NULL);
    snprintf(text, size, "%s", whole);
}

static uint64_t device_number(const OpenClApi *cl, ClDevice id, ClUint what)
{
    uint64_t value = 0; /* shorter answers fill its first bytes */
    size_t size = 0;
    cl->clGetDeviceInfo(id, what, sizeof value, &value, &size);
    uint32_t half;
    memcpy(&half, &value, sizeof half);
    return size == sizeof half ? half : value;
}

static void describe(const OpenClApi *cl, ClPlatform platform, CofclDevice *device)
{
    char platform_version[VERSION_SIZE], version[VERSION_SIZE], driver[VERSION_SIZE];
    CofDeviceInfo *info = &device->info;
    ClDevice id = device->id;
    uint64_t type = device_number(cl, id, CLI_DEVICE_TYPE);
    device_text(cl, id, CLI_DEVICE_NAME, info->name, sizeof info->name);
    platform_text(cl, platform, CLI_PLATFORM_NAME, info->platform, sizeof info->platform);
    platform_text(cl, platform, CLI_PLATFORM_VERSION, platform_version, sizeof platform_version);
    device_text(cl, id, CLI_DEVICE_VERSION, version, sizeof version);
    device_text(cl, id, CLI_DRIVER_VERSION, driver, sizeof driver);
    snprintf(device->versions, sizeof device->versions, "%s\n%s\n%s", platform_version, version,
             driver);
    info->type = type & CLI_DEVICE_TYPE_GPU   ? COF_DEVICE_TYPE_GPU
                 : type & CLI_DEVICE_TYPE_CPU ? COF_DEVICE_TYPE_CPU
                                              : COF_DEVICE_TYPE_OTHER;
    info->has_double = device_number(cl, id, CLI_DEVICE_DOUBLE_FP_CONFIG) != 0;
    info->memory = device_number(cl, id, CLI_DEVICE_GLOBAL_MEM_SIZE);
    device->largest_group = (size_t)device_number(cl, id, CLI_DEVICE_MAX_WORK_GROUP_SIZE);
    device->local_memory = device_number(cl, id, CLI_DEVICE_LOCAL_MEM_SIZE);
    device->largest_buffer = device_number(cl, id, CLI_DEVICE_MAX_MEM_ALLOC_SIZE);
}

static bool is_usable(const OpenClApi *cl, ClDevice id)
{
    return device_number(cl, id, CLI_DEVICE_AVAILABLE) &&
           device_number(cl, id, CLI_DEVICE_COMPILER_AVAILABLE);
}

/* Adds the devices of a platform to the n that were found before. */
static int add_platform(const OpenClApi *cl, ClPlatform platform, CofclDevice *devices, int n)
{
    ClDevice ids[COFCL_MAX_DEVICES];
    ClUint found = 0;
    if (cl->clGetDeviceIDs(platform, CLI_DEVICE_TYPE_ALL, COFCL_MAX_DEVICES, ids, &found))
        return n;
    for (ClUint i = 0; i < found && i < COFCL_MAX_DEVICES && n < COFCL_MAX_DEVICES; i++) {
        if (!is_usable(cl, ids[i]))
            continue;
        devices[n] = (CofclDevice){.id = ids[i]};
        describe(cl, platform, &devices[n++]);
    }
    return n;
}

int cofcl_devices(CofclDevice *devices)
{
    const OpenClApi *cl = cofcl_library();
    ClPlatform platforms[MAX_PLATFORMS];
    ClUint found = 0;
    int n = 0;
    if (!cl || cl->clGetPlatformIDs(MAX_PLATFORMS, platforms, &found))
        return 0;
    for (ClUint i = 0; i < found && i < MAX_PLATFORMS; i++)
        n = add_platform(cl, platforms[i], devices, n);
    return n;
}

const char *cofcl_no_devices(void)
{
    return cofcl_library() ? "no OpenCL driver offers a device"
                           : "libOpenCL.so.1, the OpenCL library, is not installed";
}

static bool contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return length == 0;
}

static bool matches(const CofclDevice *device, const char *name)
{
    if (strcmp(name, "gpu") == 0)
        return device->info.type == COF_DEVICE_TYPE_GPU;
    if (strcmp(name, "cpu") == 0)
        return device->info.type == COF_DEVICE_TYPE_CPU;
    return contains(device->info.name, name + strlen(NAME_PREFIX));
}

static const char *not_found(const char *name)
{
    return strcmp(name, "gpu") == 0   ? "no OpenCL driver offers a GPU"
           : strcmp(name, "cpu") == 0 ? "no OpenCL driver offers the CPU as a device"
                                      : "no OpenCL device has this name";
}

static bool choose(const CofclDevice *devices, int n, const char *name, CofclDevice *device)
{
    int chosen = 0;
    while (chosen < n && !matches(&devices[chosen], name ? name : "gpu"))
        chosen++;
    if (chosen == n && !name && n > 0)
        chosen = 0;
    if (chosen < n)
        *device = devices[chosen];
    return chosen < n;
}

bool cofcl_find_device(const char *name, CofclDevice *device, const char **problem)
{
    bool is_known = !name || strcmp(name, "gpu") == 0 || strcmp(name, "cpu") == 0 ||
                    strncmp(name, NAME_PREFIX, strlen(NAME_PREFIX)) == 0;
    *problem = "a device is gpu, cpu or opencl:NAME";
    if (!is_known)
        return false;
    CofclDevice *devices = malloc(COFCL_MAX_DEVICES * sizeof *devices);
    int n = devices ? cofcl_devices(devices) : 0;
    *problem = n == 0 ? cofcl_no_devices() : not_found(name ? name : "gpu");
    bool found = choose(devices, n, name, device);
    free(devices);
    return found;
}

bool cofcl_find_id(ClDevice id, CofclDevice *device, const char **problem)
{
    CofclDevice *devices = malloc(COFCL_MAX_DEVICES * sizeof *devices);
    int n = devices ? cofcl_devices(devices) : 0, i = 0;
    *problem = n == 0 ? cofcl_no_devices() : "this device is not one of those that OpenCL offers";
    while (i < n && devices[i].id != id)
        i++;
    if (i < n)
        *device = devices[i];
    free(devices);
    return i < n;
}
