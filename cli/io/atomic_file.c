/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are not there until they are whole. */
#include "io/atomic_file.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/error_line.h"

/* Files that are being written, by threads; empty: none. Signal handlers look here. */
#define LONGEST_PATH 4096
static char unfinished[MOST_UNFINISHED][LONGEST_PATH];
static GMutex lock;

void unfinished_abandon(void)
{
    for (int i = 0; i < MOST_UNFINISHED; i++)
        if (unfinished[i][0] != '\0')
            unlink(unfinished[i]);
}

/* A place for the name of a file that is to be begun; NULL: the name is too long. */
static char *take_slot(const char *pattern)
{
    char *slot = NULL;
    errno = ENAMETOOLONG;
    if (strlen(pattern) >= LONGEST_PATH)
        return NULL;
    g_mutex_lock(&lock);
    for (int i = 0; i < MOST_UNFINISHED && !slot; i++)
        if (unfinished[i][0] == '\0')
            slot = unfinished[i];
    if (slot)
        strcpy(slot, pattern);
    g_mutex_unlock(&lock);
    return slot;
}

char *unfinished_begin(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const char *ending = dot ? dot : "";
    char *pattern = g_strdup_printf("%.*s.cof-XXXXXX%s", (int)(base - path), path, ending);
    char *slot = take_slot(pattern);
    int file = slot ? mkstemps(slot, (int)strlen(ending)) : -1;
    g_free(pattern);
    if (file >= 0) {
        close(file);
        return slot;
    }
    complain(name, strerror(errno));
    if (slot)
        slot[0] = '\0';
    return NULL;
}

/* Asking for the mask changes it for a moment: only once, before other threads are at it. */
static void *ask_for_mask(void *mode)
{
    mode_t mask = umask(0);
    umask(mask);
    *(mode_t *)mode = 0666 & ~mask;
    return mode;
}

/* What a new file would have, or what the old one had. */
static void copy_mode(const char *temporary, const char *path)
{
    static GOnce once = G_ONCE_INIT;
    static mode_t usual;
    struct stat info;
    g_once(&once, ask_for_mask, &usual);
    chmod(temporary, stat(path, &info) == 0 ? info.st_mode & 0777 : usual);
}

bool unfinished_end(char *temporary, const char *path, const char *name)
{
    bool ok = path != NULL;
    if (ok) {
        copy_mode(temporary, path);
        ok = rename(temporary, path) == 0;
        if (!ok)
            complain(name, strerror(errno));
    }
    if (!ok)
        unlink(temporary);
    temporary[0] = '\0';
    return ok;
}
