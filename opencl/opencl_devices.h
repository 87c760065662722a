/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of all OpenCL platforms. */
#ifndef COF_OPENCL_DEVICES_H
#define COF_OPENCL_DEVICES_H

#include <stdbool.h>

#include "cof/cof.h"
#include "opencl_api.h"

/* A device, and what its programs depend on. */
typedef struct CofclDevice {
    ClDevice id;
    CofDeviceInfo info;
    char versions[512]; /* of platform, device and driver */
    size_t largest_group;
    uint64_t local_memory, largest_buffer;
} CofclDevice;

#define COFCL_MAX_DEVICES 64

/* The usable devices in the order of the drivers, and why there are none: a constant. */
int cofcl_devices(CofclDevice *devices);
const char *cofcl_no_devices(void);

/* Finds the device of a name, as cof_context_new_device() explains; false with a problem. */
bool cofcl_find_device(const char *name, CofclDevice *device, const char **problem);

/* Finds the device of the caller. */
bool cofcl_find_id(ClDevice id, CofclDevice *device, const char **problem);

#endif
