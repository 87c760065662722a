/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the fast filter, compiled for a grid. */
#ifndef COF_OPENCL_FAST_PROGRAM_H
#define COF_OPENCL_FAST_PROGRAM_H

#include "opencl_device.h"

/* Compiled when it is first needed; NULL if that fails. */
const CofclFastProgram *cofcl_fast_program(CofiDevice *device, int step, int radius);
void cofcl_fast_program_free(const CofiDevice *device, CofclFastProgram *program);

#endif
