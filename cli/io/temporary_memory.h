/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for large results, in a temporary file if there is much of it. */
#ifndef COF_TEMPORARY_MEMORY_H
#define COF_TEMPORARY_MEMORY_H

#include <stddef.h>

/* The file has no name, so that nothing is left behind if the program is killed, and its space is
 * reserved at once. Returns NULL with errno set on failure. */
void *temporary_memory_new(size_t size);
void temporary_memory_free(void *memory, size_t size);

/* A file without a name, to be closed. Returns -1 with errno set on failure. */
int unnamed_file_new(void);

#endif
