/* SPDX-License-Identifier: BSD-2-Clause */
/* File names: what they refer to, and whether they can be written. */
#include "io/paths.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/error_line.h"

bool path_is_stream(const char *path)
{
    return strcmp(path, "-") == 0;
}

char *path_target(const char *path)
{
    char *real = realpath(path, NULL);
    char *link = real ? NULL : g_file_read_link(path, NULL); /* its target does not exist yet */
    char *folder = g_path_get_dirname(path), *target;
    if (real)
        target = g_strdup(real);
    else if (link && !g_path_is_absolute(link))
        target = g_build_filename(folder, link, NULL);
    else
        target = g_strdup(link ? link : path);
    g_free(folder);
    g_free(link);
    free(real);
    return target;
}

bool path_is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool path_is_folder(const char *path)
{
    struct stat info;
    return g_str_has_suffix(path, "/") || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

bool path_can_create(const char *path, const char *name)
{
    char *target = path_target(path), *folder = g_path_get_dirname(target);
    struct stat info;
    bool ok = false;
    if (path_is_folder(target))
        errno = EISDIR;
    else if (stat(folder, &info) == 0 && !S_ISDIR(info.st_mode))
        errno = ENOTDIR;
    else
        ok = path_is_special(target) || access(folder, W_OK | X_OK) == 0;
    if (!ok)
        print_error(name, strerror(errno));
    g_free(folder);
    g_free(target);
    return ok;
}
