/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts with a device, which are kept for later operations: opening a device takes long. */
#ifndef COF_VIPS_DEVICE_H
#define COF_VIPS_DEVICE_H

#include "vips_operations.h"

/* A context with the device of that name, for one thread at a time; NULL with a problem. */
CofContext *device_borrow(const char *name, CofProblem *problem);

/* Keeps the context, unless its call failed because of the device, and for vips_cof_device_note()
 * what the report of the call says. */
void device_return(const char *name, CofContext *context, CofStatus status,
                   const CofReport *report);

/* Forgets the note of this thread. */
void device_note_clear(void);

#endif
