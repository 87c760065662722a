/* SPDX-License-Identifier: BSD-2-Clause */
/* libcof-opencl: the functions that libcof calls. */
#ifndef COF_OPENCL_MODULE_H
#define COF_OPENCL_MODULE_H

#include "device/device_module.h"

/* The only symbol that the module exports: COFI_DEVICE_SYMBOL. */
extern const CofiDeviceModule cofi_device_module;

#endif
