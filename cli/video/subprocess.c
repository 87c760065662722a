/* SPDX-License-Identifier: BSD-2-Clause */
/* Subprocesses and the pipes to and from them. */
#include "video/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ui/error_line.h"

#define MAX_ERROR_LENGTH 4096

/* The processes that run, for the signal handler; 0 marks a free slot. */
#define MAX_PROCESSES 16
static atomic_int running[MAX_PROCESSES];
static atomic_int starting; /* threads that start a process, which is not in `running` yet */
static atomic_bool ending;  /* subprocess_kill_all() was called */

static void replace_pid(int old, int new)
{
    for (int i = 0; i < MAX_PROCESSES; i++) {
        int expected = old;
        if (atomic_compare_exchange_strong(&running[i], &expected, new))
            return;
    }
}

void subprocess_kill_all(void)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    atomic_store(&ending, true);
    while (atomic_load(&starting) > 0)
        nanosleep(&moment, NULL);
    for (int i = 0; i < MAX_PROCESSES; i++) {
        int pid = atomic_load(&running[i]);
        if (pid > 0 && kill(pid, SIGKILL) == 0)
            while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
                continue;
    }
}

/* A process that was killed by the signal handler must not be taken for one that failed. */
static void stop_if_ending(void)
{
    while (atomic_load(&ending))
        pause();
}

/* Blocks the signals whose handler kills subprocesses, in this thread. */
static void block_signals(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(how, &set, NULL);
}

/* The signal handler waits from here to end_start(). */
static void begin_start(void)
{
    block_signals(SIG_BLOCK);
    atomic_fetch_add(&starting, 1);
    if (atomic_load(&ending))
        atomic_fetch_sub(&starting, 1);
    stop_if_ending();
}

/* `pid` is 0 if no process was started. */
static void end_start(int pid)
{
    if (pid > 0)
        replace_pid(0, pid);
    atomic_fetch_sub(&starting, 1);
    block_signals(SIG_UNBLOCK);
}

/* A subprocess must not inherit the signals that this command ignores or blocks. */
static void restore_signals(void *unused)
{
    (void)unused;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    block_signals(SIG_UNBLOCK);
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
    begin_start();
    bool ok = g_spawn_async_with_fds(
        NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
        restore_signals, NULL, &process->pid, reads ? null_device : their_end,
        reads ? their_end : null_device, process->stderr_file, &error);
    end_start(ok ? process->pid : 0);
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
    if (done < size)
        stop_if_ending();
    return done;
}

bool subprocess_write(const Subprocess *process, const void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t put = write(process->pipe, (const char *)bytes + done, size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            stop_if_ending();
            return false;
        }
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
    stop_if_ending();
    replace_pid(process->pid, 0);
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
