/* SPDX-License-Identifier: BSD-2-Clause */
/* Subprocesses and the pipes to and from them. */
#define _GNU_SOURCE /* memfd_create() */
#include "video/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "ui/error_line.h"

/* The most bytes that are kept of a program's standard error. */
#define MAX_LOG_LENGTH (1 << 20)

/* The processes that run, for the signal handler; 0 marks a free slot. */
#define MAX_PROCESSES 16
static atomic_int running[MAX_PROCESSES];
static atomic_int changing;             /* threads between begin_change() and end_change() */
static _Thread_local bool changes_here; /* this thread is one of them */
static atomic_bool ending;              /* subprocess_kill_all() was called */

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
    while (atomic_load(&changing) > (changes_here ? 1 : 0))
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

/* From here to end_change() a process is started or reaped, and the signal handler waits, so that
 * it neither misses a process nor kills another one that has got the number of a reaped one. */
static void begin_change(void)
{
    block_signals(SIG_BLOCK);
    atomic_fetch_add(&changing, 1);
    if (atomic_load(&ending))
        atomic_fetch_sub(&changing, 1);
    stop_if_ending();
    changes_here = true;
}

static void end_change(void)
{
    changes_here = false;
    atomic_fetch_sub(&changing, 1);
    block_signals(SIG_UNBLOCK);
}

/* A subprocess must not inherit the signals that this command ignores or blocks. It is killed when
 * this command is killed, and Ctrl-C does not reach it: the handler of this command ends it. */
static void set_up_process(void *parent)
{
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    block_signals(SIG_UNBLOCK);
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != *(const pid_t *)parent)
        _exit(127);
#else
    (void)parent;
#endif
}

/* The file is in memory where possible, since the disk may be full. */
static int open_unnamed_file(void)
{
    char *name = NULL;
#ifdef MFD_CLOEXEC
    int memory = memfd_create("cof", MFD_CLOEXEC);
    if (memory >= 0)
        return memory;
#endif
    int file = g_file_open_tmp("cof-XXXXXX", &name, NULL);
    if (file >= 0) {
        unlink(name);
        fcntl(file, F_SETFD, FD_CLOEXEC);
    }
    g_free(name);
    return file;
}

static bool spawn(Subprocess *process, char *const *arguments, int input, int output)
{
    GError *error = NULL;
    pid_t self = getpid();
    begin_change();
    bool ok = g_spawn_async_with_fds(
        NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
        set_up_process, &self, &process->pid, input, output, process->stderr_file, &error);
    if (ok)
        replace_pid(0, process->pid);
    end_change();
    if (!ok) {
        bool missing = g_error_matches(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT);
        print_error(arguments[0], missing ? "is not installed" : error->message);
        g_error_free(error);
        process->pid = 0;
    }
    return ok;
}

GPtrArray *subprocess_list(const char *const *words)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    subprocess_add_list(list, words);
    return list;
}

void subprocess_add_list(GPtrArray *list, const char *const *words)
{
    for (; *words; words++)
        g_ptr_array_add(list, g_strdup(*words));
}

void subprocess_add_option(GPtrArray *list, const char *option, const char *value)
{
    if (value && value[0] != '\0')
        subprocess_add(list, option, value, NULL);
}

bool subprocess_start(Subprocess *process, GPtrArray *list, SubprocessPipe pipe_end)
{
    g_ptr_array_add(list, NULL);
    char *const *arguments = (char *const *)list->pdata;
    int ends[2] = {-1, -1}, null_device = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool reads = pipe_end == SUBPROCESS_STDOUT, ok = false;
    *process = (Subprocess){.pipe = -1, .stderr_file = open_unnamed_file()};
    if (null_device < 0 || process->stderr_file < 0 || !g_unix_open_pipe(ends, FD_CLOEXEC, NULL)) {
        print_error(arguments[0], strerror(errno));
    } else {
        int their_end = ends[reads ? 1 : 0];
        process->pipe = ends[reads ? 0 : 1];
        ok = spawn(process, arguments, reads ? null_device : their_end,
                   reads ? their_end : null_device);
        close(their_end);
    }
    if (null_device >= 0)
        close(null_device);
    if (!ok)
        subprocess_free(process);
    g_ptr_array_free(list, TRUE);
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
    siginfo_t ended; /* waitid() leaves the process to be reaped below */
    while (waitid(P_PID, (id_t)process->pid, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    begin_change();
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    replace_pid(process->pid, 0);
    end_change();
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

char *subprocess_log(const Subprocess *process)
{
    off_t size = process->stderr_file >= 0 ? lseek(process->stderr_file, 0, SEEK_END) : 0;
    size_t length = (size_t)CLAMP(size, 0, MAX_LOG_LENGTH);
    char *log = g_malloc(length + 1);
    ssize_t n = length > 0 ? pread(process->stderr_file, log, length, 0) : 0;
    log[MAX(n, 0)] = '\0';
    return log;
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

char *subprocess_output(GPtrArray *arguments, char **log)
{
    Subprocess process;
    *log = NULL;
    if (!subprocess_start(&process, arguments, SUBPROCESS_STDOUT))
        return NULL;
    GString *text = g_string_new(NULL);
    char block[4096];
    for (size_t n; (n = subprocess_read(&process, block, sizeof block)) > 0;)
        g_string_append_len(text, block, (gssize)n);
    bool ok = subprocess_wait(&process);
    *log = subprocess_log(&process);
    subprocess_free(&process);
    return g_string_free(text, !ok);
}
