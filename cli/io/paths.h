/* SPDX-License-Identifier: BSD-2-Clause */
/* File names: what they refer to, and whether they can be written. */
#ifndef COF_PATHS_H
#define COF_PATHS_H

#include <stdbool.h>

/* "-" stands for standard input or output. */
bool path_is_stream(const char *path);

/* The target of a symbolic link, or the path itself; free with g_free(). */
char *path_target(const char *path);

/* Whether the path is a device or a pipe: it exists, and is neither a file nor a folder. */
bool path_is_special(const char *path);

bool path_is_folder(const char *path);

/* Checks that a file can be created or replaced. Prints an error about `name` if not. */
bool path_can_create(const char *path, const char *name);

#endif
