/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts with a device, which are kept for later operations. */
#include "vips_device.h"

#include <string.h>

/* A context that no operation uses. */
typedef struct IdleDevice {
    char *name;
    CofContext *context;
} IdleDevice;

static GMutex lock;
static GSList *idle; /* guarded by the lock */

/* Operations are built by the thread that asks for the note. */
static _Thread_local const char *note;

static CofContext *take_idle(const char *name)
{
    CofContext *context = NULL;
    g_mutex_lock(&lock);
    for (GSList *link = idle; link && !context; link = link->next) {
        IdleDevice *device = link->data;
        if (strcmp(device->name, name) != 0)
            continue;
        context = device->context;
        idle = g_slist_delete_link(idle, link);
        g_free(device->name);
        g_free(device);
        break;
    }
    g_mutex_unlock(&lock);
    return context;
}

CofContext *device_borrow(const char *name, CofProblem *problem)
{
    CofContext *context = take_idle(name);
    if (!context &&
        cof_context_new_device(&context, name, vips_concurrency_get(), problem) != COF_OK)
        return NULL;
    return context;
}

static void keep_idle(const char *name, CofContext *context)
{
    IdleDevice *device = g_new(IdleDevice, 1);
    *device = (IdleDevice){g_strdup(name), context};
    g_mutex_lock(&lock);
    idle = g_slist_prepend(idle, device);
    g_mutex_unlock(&lock);
}

void device_return(const char *name, CofContext *context, CofStatus status, const CofReport *report)
{
    if (!note)
        note = report->device_note;
    if (status == COF_ERR_UNSUPPORTED)
        cof_context_free(&context);
    else
        keep_idle(name, context);
}

void device_note_clear(void)
{
    note = NULL;
}

const char *vips_cof_device_note(void)
{
    return note;
}

gboolean vips_cof_device_ready(const char *name, CofProblem *problem)
{
    CofContext *context = device_borrow(name, problem);
    if (context)
        keep_idle(name, context);
    return context != NULL;
}
