/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for large results, in a temporary file if there is much of it. */
#include "io/temporary_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than this many bytes are put into a file. */
#define MAX_BYTES_WITHOUT_FILE ((size_t)1 << 29)

int unnamed_file_new(void)
{
    char *path = g_build_filename(g_get_tmp_dir(), ".cof-XXXXXX", NULL);
    int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    g_free(path);
    return file;
}

static void *map_file(size_t size)
{
    int file = unnamed_file_new();
    if (file < 0)
        return NULL;
    int error = posix_fallocate(file, 0, (off_t)size);
    void *memory = MAP_FAILED;
    if (error == 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (error == 0 && memory == MAP_FAILED)
        error = errno;
    close(file);
    errno = error;
    return memory == MAP_FAILED ? NULL : memory;
}

void *temporary_memory_new(size_t size)
{
    if (size > MAX_BYTES_WITHOUT_FILE)
        return map_file(size);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void temporary_memory_free(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}
