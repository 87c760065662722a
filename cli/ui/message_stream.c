/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard error, without the lines that some libraries print themselves. */
#include "ui/message_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static GMutex lock;
static int muted;                       /* calls of message_mute() without message_unmute() */
static volatile sig_atomic_t kept = -1; /* standard error, while descriptor 2 is /dev/null */

static volatile sig_atomic_t ended;

static void write_to(int file, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t n = write(file, text, left);
        if (n <= 0 && errno != EINTR)
            break;
        text += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
}

void message_end(void)
{
    ended = 1;
}

void message_write(const char *text)
{
    if (ended)
        return;
    g_mutex_lock(&lock);
    if (kept >= 0)
        write_to(kept, text);
    else
        fputs(text, stderr); /* which fuzz targets replace */
    fflush(stderr);
    g_mutex_unlock(&lock);
}

void message_write_at_once(const char *text)
{
    write_to(kept >= 0 ? kept : STDERR_FILENO, text);
}

void message_mute(void)
{
    g_mutex_lock(&lock);
    int null_device = muted++ == 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (null_device >= 0) {
        fflush(stderr);
        kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (kept >= 0)
            dup2(null_device, STDERR_FILENO);
        close(null_device);
    }
    g_mutex_unlock(&lock);
}

void message_unmute(void)
{
    g_mutex_lock(&lock);
    if (--muted == 0 && kept >= 0) {
        fflush(stderr);
        dup2(kept, STDERR_FILENO);
        close(kept);
        kept = -1;
    }
    g_mutex_unlock(&lock);
}
