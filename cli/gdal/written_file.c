/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that GDAL writes, as a file system of its own. */
#include "gdal/raster.h"

#include <cpl_vsi.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "/vsicof/"

/* What the thread that writes an output wants to know. Its files point to it, since GDAL may write
 * from other threads. */
typedef struct Watch {
    void (*on_create)(const char *path);
    gint error; /* the number of the first failure */
} Watch;

typedef struct WrittenFile {
    int descriptor;
    bool is_at_end;
    Watch *watch;
} WrittenFile;

static _Thread_local Watch *current;

static void note_failure(const WrittenFile *file)
{
    if (file->watch)
        g_atomic_int_compare_and_exchange(&file->watch->error, 0, errno != 0 ? errno : EIO);
}

static void *open_file(void *user, const char *path, const char *access)
{
    (void)user;
    bool creates = access[0] == 'w', updates = strchr(access, '+') != NULL;
    int flags = creates                       ? O_RDWR | O_CREAT | O_TRUNC
                : updates || access[0] == 'a' ? O_RDWR
                                              : O_RDONLY;
    if (creates && current && current->on_create)
        current->on_create(path);
    int descriptor = open(path, flags | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return NULL;
    WrittenFile *file = g_new0(WrittenFile, 1);
    *file = (WrittenFile){.descriptor = descriptor, .watch = current};
    return file;
}

static vsi_l_offset tell_file(void *data)
{
    return (vsi_l_offset)lseek(((WrittenFile *)data)->descriptor, 0, SEEK_CUR);
}

static int seek_file(void *data, vsi_l_offset offset, int whence)
{
    WrittenFile *file = data;
    file->is_at_end = false;
    return lseek(file->descriptor, (off_t)offset, whence) < 0 ? -1 : 0;
}

static size_t read_file(void *data, void *to, size_t size, size_t n)
{
    WrittenFile *file = data;
    size_t all = size * n, done = 0;
    ssize_t got = 1;
    while (done < all && got > 0) {
        got = read(file->descriptor, (char *)to + done, all - done);
        if (got > 0)
            done += (size_t)got;
    }
    file->is_at_end = done < all;
    return size > 0 ? done / size : 0;
}

static size_t write_file(void *data, const void *from, size_t size, size_t n)
{
    WrittenFile *file = data;
    size_t all = size * n, done = 0;
    while (done < all) {
        ssize_t put = write(file->descriptor, (const char *)from + done, all - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            note_failure(file);
            break;
        }
        done += (size_t)put;
    }
    return size > 0 ? done / size : 0;
}

static int is_at_end(void *data)
{
    return ((WrittenFile *)data)->is_at_end;
}

static int truncate_file(void *data, vsi_l_offset size)
{
    WrittenFile *file = data;
    if (ftruncate(file->descriptor, (off_t)size) == 0)
        return 0;
    note_failure(file);
    return -1;
}

static int close_file(void *data)
{
    WrittenFile *file = data;
    int failed = close(file->descriptor);
    if (failed)
        note_failure(file);
    g_free(file);
    return failed;
}

static int stat_file(void *user, const char *path, VSIStatBufL *info, int flags)
{
    (void)user;
    return VSIStatExL(path, info, flags);
}

static int unlink_file(void *user, const char *path)
{
    (void)user;
    return unlink(path);
}

void written_file_init(void)
{
    VSIFilesystemPluginCallbacksStruct *calls = VSIAllocFilesystemPluginCallbacksStruct();
    calls->stat = stat_file;
    calls->unlink = unlink_file;
    calls->open = open_file;
    calls->tell = tell_file;
    calls->seek = seek_file;
    calls->read = read_file;
    calls->eof = is_at_end;
    calls->write = write_file;
    calls->truncate = truncate_file;
    calls->close = close_file;
    VSIInstallPluginHandler(PREFIX, calls);
    VSIFreeFilesystemPluginCallbacksStruct(calls);
}

char *written_file_name(const char *path)
{
    return g_strconcat(PREFIX, path, NULL);
}

void written_file_begin(void (*on_create)(const char *path))
{
    current = g_new0(Watch, 1);
    current->on_create = on_create;
}

int written_file_end(void)
{
    int error = g_atomic_int_get(&current->error);
    g_free(current);
    current = NULL;
    return error;
}
