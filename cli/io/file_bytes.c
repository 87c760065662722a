/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes at any position of a file, or of a buffer. */
#include "io/file_bytes.h"

#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_bytes_open(FileBytes *file, const char *path)
{
    struct stat info;
    *file = (FileBytes){.file = -1};
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) /* opening a pipe would wait */
        return false;
    file->file = open(path, O_RDONLY | O_CLOEXEC);
    file->size = (uint64_t)info.st_size;
    return file->file >= 0;
}

void file_bytes_close(FileBytes *file)
{
    if (file->file >= 0)
        close(file->file);
    g_free(file->bytes);
    *file = (FileBytes){.file = -1};
}

FileBytes file_bytes_take(char *bytes, size_t size)
{
    return (FileBytes){.file = -1, .bytes = (uint8_t *)bytes, .size = size};
}

bool file_bytes_read(const FileBytes *file, uint64_t offset, void *to, size_t n)
{
    if (offset > file->size || n > file->size - offset)
        return false;
    if (file->file < 0) {
        memcpy(to, file->bytes + offset, n);
        return true;
    }
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(file->file, (char *)to + done, n - done, (off_t)(offset + done));
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}
