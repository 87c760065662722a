/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts with a device, which are kept for later operations: opening a device takes long. */
#ifndef COF_VIPS_DEVICE_H
#define COF_VIPS_DEVICE_H

#include "vips_operations.h"

/* A context with the device of that name, for one thread at a time; NULL with a problem. */
CofContext *device_borrow(const char *name, CofProblem *problem);
void device_return(const char *name, CofContext *context);

#endif
