/* SPDX-License-Identifier: BSD-2-Clause */
/* The note that a device left work to the CPU. */
#include "ui/device_note.h"

#include <glib.h>

#include "ui/error_line.h"

static GMutex lock;
static const char *first_reason; /* this and the counts are guarded by the lock */
static gint64 calls, noted;

void device_note_see(const char *reason, bool counted)
{
    g_mutex_lock(&lock);
    if (!first_reason)
        first_reason = reason;
    calls += counted;
    noted += counted && reason;
    g_mutex_unlock(&lock);
}

void device_note_print(const char *units)
{
    if (!first_reason)
        return;
    char *share = units && noted > 0
                      ? g_strdup_printf(" for %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " %s",
                                        noted, calls, units)
                      : g_strdup("");
    char *text = g_strdup_printf("left work to the CPU%s: %s", share, first_reason);
    print_note("--device", text);
    g_free(text);
    g_free(share);
}
