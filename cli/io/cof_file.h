/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of models and statistics, and whole files as bytes. */
#ifndef COF_COF_FILE_H
#define COF_COF_FILE_H

#include <stdbool.h>

#include "cof/cof.h"

/* Reads a file and appends a zero byte; free with g_free(). `size` may be NULL. Prints an error and
 * returns NULL on failure. */
char *cof_file_read(const char *name, size_t *size);

/* Whether a file begins with the magic bytes of libcof. */
bool cof_file_is(const char *name);

/* Loads statistics or a model; the other one stays NULL. Prints an error on failure. */
bool cof_file_load(const char *name, CofStats **stats, CofModel **model);

/* Both write a file atomically, and print an error on failure. */
bool cof_file_write(const char *name, const void *bytes, size_t size);
bool cof_file_save_stats(const CofStats *stats, const char *name);

#endif
