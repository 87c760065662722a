/* SPDX-License-Identifier: BSD-2-Clause */
/* The standard streams, without the lines that some libraries print themselves. */
#include "ui/message_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static GMutex lock;
static volatile sig_atomic_t kept = -1; /* standard error, if descriptor 2 is /dev/null */
static FILE *output;                    /* standard output, if descriptor 1 is /dev/null */

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

/* Sanitizers' reports, where one is linked in. Apple's linker wants functions to exist. */
#ifdef __ELF__
void __sanitizer_set_report_fd(void *descriptor) __attribute__((weak));
#endif

void message_reserve_streams(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0)
            open("/dev/null", modes[i]);
}

/* Whether an argument, or the value in --option=VALUE, names the file of a descriptor. */
static bool is_named(int descriptor, char *const *arguments)
{
    struct stat own, other;
    bool found = false;
    for (; fstat(descriptor, &own) == 0 && *arguments && !found; arguments++) {
        const char *value = strchr(*arguments, '=');
        found = (stat(*arguments, &other) == 0 || (value && stat(value + 1, &other) == 0)) &&
                own.st_dev == other.st_dev && own.st_ino == other.st_ino;
    }
    return found;
}

/* Makes a descriptor that of /dev/null, and returns what it was; -1: it stays, because it has a
 * name that may be opened, or cannot be written. */
static int claim(int descriptor, char *const *arguments)
{
    bool is_written = (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY;
    if (!is_written || is_named(descriptor, arguments))
        return -1;
    int null_device = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int own = null_device >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    if (own >= 0)
        dup2(null_device, descriptor);
    if (null_device >= 0)
        close(null_device);
    return own;
}

void message_claim_streams(char *const *arguments)
{
    int own = claim(STDOUT_FILENO, arguments);
    output = own >= 0 ? fdopen(own, "wb") : NULL;
    kept = claim(STDERR_FILENO, arguments);
#ifdef __ELF__
    if (kept >= 0 && __sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(intptr_t)kept);
#endif
}

bool message_is_terminal(void)
{
    return isatty(kept >= 0 ? kept : STDERR_FILENO);
}

FILE *message_output(void)
{
    return output ? output : stdout;
}
