/* SPDX-License-Identifier: BSD-2-Clause */
/* For systems that load no modules. */
#include "device/load_module.h"

const CofiDeviceModule *cofi_load_module(const char **problem)
{
    *problem = "libcof was built without support for devices";
    return NULL;
}

long cofi_device_process(void)
{
    return 0;
}
