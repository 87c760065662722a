/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of files: where they lead, and whether they can be written. */
#ifndef COF_PATHS_H
#define COF_PATHS_H

#include <stdbool.h>

/* "-": standard input or output. */
bool path_is_stream(const char *path);

/* What a link points to, else the path itself; freed by g_free(). */
char *path_target(const char *path);

/* Exists, and is neither a file nor a folder: a device or a pipe. */
bool path_is_special(const char *path);

bool path_is_folder(const char *path);

/* Can a file appear there? Complains about `name` if not. */
bool path_can_appear(const char *path, const char *name);

#endif
