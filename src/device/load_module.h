/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a device module. */
#ifndef COF_LOAD_MODULE_H
#define COF_LOAD_MODULE_H

#include "device/device_module.h"

/* The functions of libcof-opencl, which stays loaded; NULL with a problem, a constant, if there is
 * none. It is searched in the folder that COF_MODULE_PATH names or, if that is not set, in the
 * folder cof/ beside libcof, beside libcof, in a build folder, and where it was to be installed. */
const CofiDeviceModule *cofi_load_module(const char **problem);

/* The id of this process: a device cannot be used by a child of the process that opened it. */
long cofi_device_process(void);

#endif
