/* SPDX-License-Identifier: BSD-2-Clause */
/* Temporary files: of atomic outputs, which are written under a temporary name in the same folder,
 * then renamed, and of large results. */
#ifndef COF_ATOMIC_FILE_H
#define COF_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The number of files that can be open at a time. */
#define MAX_ATOMIC_FILES 256

/* Creates an empty temporary file in the folder of `path` and returns its name. The name has the
 * suffix of `path`, which chooses the format. It is registered before the file is created, so that
 * a signal handler can remove the file at any time. Files that killed runs have left in the folder
 * are removed. Prints an error about `name` and returns NULL
 * on failure. */
char *atomic_file_begin(const char *path, const char *name);

/* Renames the temporary file to `path`. If `path` is NULL, removes it and returns false. */
bool atomic_file_end(char *temporary, const char *path, const char *name);

/* Registers a file that another library is about to create beside a temporary file of this thread,
 * until atomic_file_forget(). */
void atomic_file_register(const char *path);

/* Removes the files that this thread has registered. */
void atomic_file_forget(void);

/* Removes all temporary files. The process can open no file after this, and must end;
 * async-signal-safe. */
void atomic_file_remove_all(void);

/* Memory for large results, in a temporary file if there is much of it. The file has no name, so
 * that nothing is left behind if the program is killed, and its space is reserved at once. Returns
 * NULL with errno set on failure. */
void *temporary_memory_new(size_t size);
void temporary_memory_free(void *memory, size_t size);

/* A file without a name, to be closed. Returns -1 with errno set on failure. */
int unnamed_file_new(void);

#endif
