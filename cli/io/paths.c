/* SPDX-License-Identifier: BSD-2-Clause */
/* File names: what they refer to, and whether they can be written. */
#include "io/paths.h"

#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vips/vips.h>

#include "ui/error_line.h"

bool path_is_stream(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* As many links as the kernel follows. */
#define MAX_LINKS 40

/* The path that a link names, relative to the folder of the link; NULL if `path` is no link. */
static char *follow_link(const char *path)
{
    char *link = g_file_read_link(path, NULL);
    if (!link || g_path_is_absolute(link))
        return link;
    char *folder = g_path_get_dirname(path), *target = g_build_filename(folder, link, NULL);
    g_free(folder);
    g_free(link);
    return target;
}

/* realpath() resolves what exists. A link to a file that does not exist yet is followed here. */
char *path_target(const char *path)
{
    char *real = realpath(path, NULL);
    int error = errno;
    char *target = g_strdup(real ? real : path), *next = NULL;
    bool exists = real != NULL;
    free(real);
    for (int n = 0; !exists && error == ENOENT && (next = follow_link(target)); n++) {
        g_free(target);
        target = next;
        if (n == MAX_LINKS)
            error = ELOOP;
    }
    if (exists || (error != ELOOP && error != ENAMETOOLONG))
        return target;
    g_free(target);
    errno = error;
    return NULL;
}

static char *numbers_and_name(const struct stat *info, const char *name)
{
    return g_strdup_printf("%" PRIuMAX ":%" PRIuMAX "/%s", (uintmax_t)info->st_dev,
                           (uintmax_t)info->st_ino, name);
}

/* A file in a folder that does not exist yet: the last folder that exists, and the rest. */
static char *identity_in_new_folder(const char *target)
{
    struct stat info;
    char *path = g_canonicalize_filename(target, NULL), *folder = g_path_get_dirname(path);
    bool found = stat(folder, &info) == 0;
    while (!found && strcmp(folder, "/") != 0) {
        char *parent = g_path_get_dirname(folder);
        g_free(folder);
        folder = parent;
        found = stat(folder, &info) == 0;
    }
    char *identity = found ? numbers_and_name(&info, path + strlen(folder)) : NULL;
    g_free(path);
    g_free(folder);
    return identity;
}

/* The number of a file or, if it does not exist, the number of its folder and its name. */
static char *identity_of_target(const char *target)
{
    struct stat info;
    if (stat(target, &info) == 0)
        return S_ISREG(info.st_mode) ? numbers_and_name(&info, "") : NULL;
    char *folder = g_path_get_dirname(target), *name = g_path_get_basename(target);
    bool found = stat(folder, &info) == 0;
    char *identity = found ? numbers_and_name(&info, name) : identity_in_new_folder(target);
    g_free(folder);
    g_free(name);
    return identity;
}

char *path_identity(const char *path)
{
    char *target = path_is_stream(path) ? NULL : path_target(path);
    char *identity = target ? identity_of_target(target) : NULL;
    g_free(target);
    return identity;
}

bool path_is_same(const char *one, const char *other)
{
    char *first = path_identity(one), *second = path_identity(other);
    bool same = first && g_strcmp0(first, second) == 0;
    g_free(first);
    g_free(second);
    return same;
}

bool path_is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool path_is_pipe(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
}

bool path_check_end(const char *path)
{
    bool ok = path_is_stream(path) || !path_is_special(path) || path_is_pipe(path);
    if (!ok)
        print_error(path, "is neither a file nor a pipe");
    return ok;
}

bool path_begins_with(const char *path, const char *start, size_t size)
{
    char bytes[16];
    FILE *file = fopen(path, "rb");
    bool found = file && fread(bytes, 1, size, file) == size && memcmp(bytes, start, size) == 0;
    if (file)
        fclose(file);
    return found;
}

bool path_is_folder(const char *path)
{
    struct stat info;
    return g_str_has_suffix(path, "/") || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

static const char *const companions[] = {".aux.xml", ".ovr", ".msk"};

char *path_companion(const char *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(companions); i++) {
        char *name = g_strconcat(path, companions[i], NULL);
        if (access(name, F_OK) == 0)
            return name;
        g_free(name);
    }
    return NULL;
}

char *path_owner_of_companion(const char *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(companions); i++)
        if (g_str_has_suffix(path, companions[i]))
            return g_strndup(path, strlen(path) - strlen(companions[i]));
    return NULL;
}

void path_remove_companions(const char *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(companions); i++) {
        char *name = g_strconcat(path, companions[i], NULL);
        unlink(name);
        g_free(name);
    }
}

bool path_is_video(const char *path)
{
    static const char *const suffixes[] = {".3gp", ".avi", ".flv", ".m2ts", ".m4v",
                                           ".mkv", ".mov", ".mp4", ".mpeg", ".mpg",
                                           ".mts", ".ogv", ".ts",  ".webm", ".wmv"};
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++)
        if (vips_iscasepostfix(path, suffixes[i]))
            return true;
    return false;
}

/* Whether a file can be created or replaced; sets errno if not. */
static bool can_create_target(const char *target)
{
    char *folder = g_path_get_dirname(target);
    struct stat info;
    bool ok = false;
    if (path_is_folder(target))
        errno = EISDIR;
    else if (stat(folder, &info) == 0 && !S_ISDIR(info.st_mode))
        errno = ENOTDIR;
    else
        ok = path_is_special(target) || access(folder, W_OK | X_OK) == 0;
    g_free(folder);
    return ok;
}

bool path_can_create(const char *path, const char *name)
{
    char *target = path_target(path);
    bool ok = target && can_create_target(target);
    if (!ok)
        print_error(name, strerror(errno));
    g_free(target);
    return ok;
}

bool path_can_create_image(const char *path, const char *name)
{
    if (!path_can_create(path, name))
        return false;
    char *target = path_target(path);
    char *companion = target && access(target, F_OK) != 0 ? path_companion(target) : NULL;
    if (companion) {
        char *text =
            g_strdup_printf("GDAL would take %s for a part of it; remove that first", companion);
        print_error(name, text);
        g_free(text);
    }
    bool ok = !companion;
    g_free(companion);
    g_free(target);
    return ok;
}

/* libvips splits all names into words, and aborts at a quotation mark without text behind it. */
static bool has_options(const char *name)
{
    return strlen(name) < MAX_IMAGE_PATH && g_str_has_suffix(name, "]");
}

char *image_path_of_input(const char *name)
{
    return access(name, F_OK) == 0 ? g_strdup(name) : image_path_of_output(name);
}

char *image_path_of_output(const char *name)
{
    return has_options(name) ? vips_filename_get_filename(name) : g_strdup(name);
}

char *image_path_options(const char *name)
{
    return has_options(name) ? vips_filename_get_options(name) : g_strdup("");
}
