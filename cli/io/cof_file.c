/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of models and statistics, and whole files as bytes. */
#include "io/cof_file.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "io/paths.h"
#include "ui/error_line.h"

static void print_glib_error(const char *name, GError *error)
{
    /* In "Failed to open file "x": No such file", only the last part is new to the reader. */
    const char *cause = strrchr(error->message, ':');
    print_error(name, cause ? cause + 2 : error->message);
    g_error_free(error);
}

static char *read_stream(size_t *size)
{
    GString *bytes = g_string_new(NULL);
    char block[65536];
    size_t n;
    while ((n = fread(block, 1, sizeof block, stdin)) > 0)
        g_string_append_len(bytes, block, (gssize)n);
    if (size)
        *size = bytes->len;
    return g_string_free(bytes, FALSE);
}

char *cof_file_read(const char *name, size_t *size)
{
    char *bytes;
    GError *error = NULL;
    if (path_is_stream(name))
        return read_stream(size);
    if (g_file_get_contents(name, &bytes, size, &error))
        return bytes;
    print_glib_error(name, error);
    return NULL;
}

bool cof_file_is(const char *name)
{
    static const char magic[4] = {'C', 'O', 'F', 0x1a};
    char bytes[sizeof magic];
    FILE *file = fopen(name, "rb");
    if (!file)
        return false;
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return n == sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

bool cof_file_load(const char *name, CofStats **stats, CofModel **model)
{
    size_t size;
    char *bytes = cof_file_read(name, &size);
    if (!bytes)
        return false;
    CofStatus status = cof_model_load(model, bytes, size);
    if (status == COF_ERR_MISMATCH) /* it holds statistics */
        status = cof_stats_load(stats, bytes, size);
    g_free(bytes);
    if (status != COF_OK)
        print_error(name, cof_status_string(status));
    return status == COF_OK;
}

/* Writes to a pipe or device, which must not be replaced by a file. */
static bool write_directly(const char *name, const void *bytes, size_t size)
{
    FILE *file = path_is_stream(name) ? stdout : fopen(name, "wb");
    bool ok = file && fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
    if (!ok)
        print_error(path_is_stream(name) ? "standard output" : name, strerror(errno));
    if (file && file != stdout)
        fclose(file);
    return ok;
}

bool cof_file_write(const char *name, const void *bytes, size_t size)
{
    GError *error = NULL;
    if (path_is_stream(name) || path_is_special(name))
        return write_directly(name, bytes, size);
    char *target = path_target(name);
    bool ok = g_file_set_contents(target, bytes, (gssize)size, &error);
    if (!ok)
        print_glib_error(name, error);
    g_free(target);
    return ok;
}

bool cof_file_save_stats(const CofStats *stats, const char *name)
{
    void *bytes;
    size_t size;
    CofStatus status = cof_stats_save(stats, &bytes, &size);
    if (status != COF_OK) {
        print_error(name, cof_status_string(status));
        return false;
    }
    bool ok = cof_file_write(name, bytes, size);
    cof_free(bytes);
    return ok;
}
