/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled programs on disk: one file for each key, in the folder cof of $XDG_CACHE_HOME or
 * ~/.cache. Files that are damaged, or of another key, are ignored. */
#ifndef COF_PROGRAM_CACHE_H
#define COF_PROGRAM_CACHE_H

#include <stddef.h>

/* The bytes stored for a key, to be freed with free(); NULL: none. */
unsigned char *cofcl_cache_read(const char *key, size_t *size);

/* Stores bytes for a key, if that is possible; a file appears whole or not at all. */
void cofcl_cache_write(const char *key, const unsigned char *bytes, size_t size);

#endif
