/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the kernels, or takes them from the cache. */
#ifndef COF_OPENCL_PROGRAM_H
#define COF_OPENCL_PROGRAM_H

#include "opencl_api.h"
#include "opencl_devices.h"

/* The program for a device, built with `options`; NULL if it cannot be compiled. */
ClProgram cofcl_program_new(const OpenClApi *cl, ClContext context, const CofclDevice *device,
                            const char *options);

#endif
