/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are not there until they are whole: they are written beside their place, under another
 * name. */
#ifndef COF_ATOMIC_FILE_H
#define COF_ATOMIC_FILE_H

#include <stdbool.h>

/* At most so many at a time. */
#define MOST_UNFINISHED 256

/* An empty file beside the one to be, so that renaming it is one step. Its name ends like the other
 * one, since that chooses the format. A signal handler knows the name before there is a file.
 * Complains about `name` and returns NULL if it fails. */
char *unfinished_begin(const char *path, const char *name);

/* Moves it to its place; path NULL: removes it, and returns false. */
bool unfinished_end(char *temporary, const char *path, const char *name);

/* Removes all that were begun; for signal handlers. */
void unfinished_abandon(void);

#endif
