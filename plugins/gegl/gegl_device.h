/* SPDX-License-Identifier: BSD-2-Clause */
/* The device that the environment variable COF_DEVICE names. */
#ifndef COF_GEGL_DEVICE_H
#define COF_GEGL_DEVICE_H

#include <cof/cof.h>
#include <stdbool.h>

/* The device of one operation; begins with zeros. */
typedef struct GeglDevice {
    CofContext *context; /* NULL: not opened */
    bool given_up;
} GeglDevice;

/* The context with the device, opened once. NULL: COF_DEVICE names none, or it cannot be used. */
CofContext *gegl_device_context(GeglDevice *device, int threads);

/* Closes a device that has failed, which this operation then no longer uses. */
void gegl_device_give_up(GeglDevice *device, const char *reason);

void gegl_device_clear(GeglDevice *device);

#endif
