/* SPDX-License-Identifier: BSD-2-Clause */
/* The device that the environment variable COF_DEVICE names. Hosts such as GIMP have no place for
 * such a choice. Without the device the CPU computes the image, since operations cannot fail. */
#include "gegl_device.h"

#include <glib.h>

#define VARIABLE "COF_DEVICE"

/* Hosts make an operation for each filter and each preview: a process warns once. */
static void warn_once(const char *reason)
{
    static gint warned;
    if (g_atomic_int_compare_and_exchange(&warned, 0, 1))
        g_warning("cof:filter: " VARIABLE "=%s: %s; the CPU filters instead", g_getenv(VARIABLE),
                  reason);
}

CofContext *gegl_device_context(GeglDevice *device, int threads)
{
    const char *name = g_getenv(VARIABLE);
    CofProblem problem;
    if (!name || !name[0] || device->given_up)
        return NULL;
    if (!device->context &&
        cof_context_new_device(&device->context, name, threads, &problem) != COF_OK)
        gegl_device_give_up(device, problem.text);
    return device->context;
}

void gegl_device_give_up(GeglDevice *device, const char *reason)
{
    gegl_device_clear(device);
    device->given_up = true;
    warn_once(reason);
}

void gegl_device_clear(GeglDevice *device)
{
    cof_context_free(&device->context);
}
