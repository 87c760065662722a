/* SPDX-License-Identifier: BSD-2-Clause */
/* Subprocesses and the pipes to and from them. */
#include "video/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui/error_line.h"

#define MAX_ERROR_LENGTH 4096

/* This command ignores these signals; a subprocess must not inherit that. */
static void restore_signals(void *unused)
{
    (void)unused;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
}

static int open_unnamed_file(void)
{
    char *name = NULL;
    int file = g_file_open_tmp("cof-XXXXXX", &name, NULL);
    if (file >= 0) {
        unlink(name);
        fcntl(file, F_SETFD, FD_CLOEXEC);
    }
    g_free(name);
    return file;
}

bool subprocess_start(Subprocess *process, char *const *arguments, SubprocessPipe pipe_end)
{
    int ends[2], null_device = open("/dev/null", O_RDWR | O_CLOEXEC);
    GError *error = NULL;
    *process = (Subprocess){.pipe = -1, .stderr_file = open_unnamed_file()};
    if (null_device < 0 || process->stderr_file < 0 || pipe(ends) != 0) {
        print_error(arguments[0], strerror(errno));
        return false;
    }
    bool reads = pipe_end == SUBPROCESS_STDOUT;
    int our_end = ends[reads ? 0 : 1], their_end = ends[reads ? 1 : 0];
    fcntl(our_end, F_SETFD, FD_CLOEXEC);
    fcntl(their_end, F_SETFD, FD_CLOEXEC);
    bool ok = g_spawn_async_with_fds(
        NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
        restore_signals, NULL, &process->pid, reads ? null_device : their_end,
        reads ? their_end : null_device, process->stderr_file, &error);
    close(their_end);
    close(null_device);
    process->pipe = our_end;
    if (!ok) {
        bool missing = g_error_matches(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT);
        print_error(arguments[0], missing ? "is not installed" : error->message);
        g_error_free(error);
        process->pid = 0;
        subprocess_free(process);
    }
    return ok;
}

size_t subprocess_read(const Subprocess *process, void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(process->pipe, (char *)bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

bool subprocess_write(const Subprocess *process, const void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t put = write(process->pipe, (const char *)bytes + done, size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

static void close_pipe(Subprocess *process)
{
    if (process->pipe >= 0)
        close(process->pipe);
    process->pipe = -1;
}

bool subprocess_wait(Subprocess *process)
{
    int status = 1;
    close_pipe(process);
    if (process->pid == 0)
        return false;
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    g_spawn_close_pid(process->pid);
    process->pid = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void subprocess_kill(Subprocess *process)
{
    if (process->pid > 0)
        kill(process->pid, SIGKILL);
    subprocess_wait(process);
}

char *subprocess_error(const Subprocess *process)
{
    char text[MAX_ERROR_LENGTH + 1];
    ssize_t n =
        process->stderr_file >= 0 ? pread(process->stderr_file, text, MAX_ERROR_LENGTH, 0) : 0;
    text[n > 0 ? n : 0] = '\0';
    g_strstrip(text);
    text[strcspn(text, "\r\n")] = '\0';
    return text[0] != '\0' ? g_strdup(text) : NULL;
}

void subprocess_free(Subprocess *process)
{
    if (process->pid > 0)
        subprocess_kill(process);
    close_pipe(process);
    if (process->stderr_file >= 0)
        close(process->stderr_file);
    process->stderr_file = -1;
}

char *subprocess_output(char *const *arguments, char **error_text)
{
    Subprocess process;
    *error_text = NULL;
    if (!subprocess_start(&process, arguments, SUBPROCESS_STDOUT))
        return NULL;
    GString *text = g_string_new(NULL);
    char block[4096];
    for (size_t n; (n = subprocess_read(&process, block, sizeof block)) > 0;)
        g_string_append_len(text, block, (gssize)n);
    bool ok = subprocess_wait(&process);
    if (!ok)
        *error_text = subprocess_error(&process);
    if (!ok && !*error_text)
        *error_text = g_strdup("it failed");
    subprocess_free(&process);
    return g_string_free(text, !ok);
}
