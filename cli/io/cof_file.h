/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of models and statistics. */
#ifndef COF_COF_FILE_H
#define COF_COF_FILE_H

#include <stdbool.h>

#include "cof/cof.h"

/* All bytes of a file, with a zero behind them; g_free'd by the caller. Complains and returns NULL
 * if that fails. */
char *cof_file_read(const char *name, size_t *size);

/* Does a file begin as those of libcof do? */
bool cof_file_is(const char *name);

/* Either; the other one stays NULL. Complains if that fails. */
bool cof_file_load(const char *name, CofStats **stats, CofModel **model);

/* The file appears whole or not at all. Complains if that fails. */
bool cof_file_write(const char *name, const void *bytes, size_t size);
bool cof_file_save_stats(const CofStats *stats, const char *name);

#endif
