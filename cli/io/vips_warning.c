/* SPDX-License-Identifier: BSD-2-Clause */
/* Warnings of GObject, which are errors here. */
#include "io/vips_warning.h"

#include <glib.h>
#include <stdio.h>

#include "ui/error_line.h"

static _Thread_local char warning[256];

static void store_warning(const char *domain, GLogLevelFlags level, const char *message, void *user)
{
    (void)domain, (void)level, (void)user;
    snprintf(warning, sizeof warning, "%s", message);
}

void vips_warning_init(void)
{
    /* Values out of range: GLib 2.80 and later call them critical. */
    g_log_set_handler("GLib-GObject", G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL, store_warning,
                      NULL);
}

void vips_warning_clear(void)
{
    warning[0] = '\0';
}

bool vips_warning_print(const char *name)
{
    if (warning[0] != '\0' && name)
        print_error(name, warning);
    return warning[0] != '\0';
}
