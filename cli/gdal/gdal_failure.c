/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of GDAL, as errors of libvips. The first failure names the cause; those that follow are
 * its consequences. */
#include "gdal/gdal_failure.h"

#include <cpl_error.h>
#include <glib.h>
#include <vips/vips.h>

static _Thread_local char first_failure[512], first_warning[512];

static void store(char text[512], const char *from)
{
    if (text[0] != '\0')
        return;
    g_strlcpy(text, from, 512);
    g_strdelimit(text, "\r\n\t", ' ');
    g_strchomp(text);
}

static void CPL_STDCALL on_error(CPLErr severity, CPLErrorNum number, const char *text)
{
    (void)number;
    if (severity >= CE_Failure)
        store(first_failure, text);
    else if (severity == CE_Warning)
        store(first_warning, text);
}

void gdal_failure_init(void)
{
    CPLSetErrorHandler(on_error);
}

void gdal_failure_clear(void)
{
    first_failure[0] = first_warning[0] = '\0';
}

int gdal_has_failed(void)
{
    return first_failure[0] != '\0';
}

int gdal_failure_by_warning(const char *fallback)
{
    return gdal_failure(first_warning[0] != '\0' ? first_warning : fallback);
}

int gdal_failure(const char *fallback)
{
    vips_error("cof", "%s", gdal_has_failed() ? first_failure : fallback);
    gdal_failure_clear();
    return -1;
}
