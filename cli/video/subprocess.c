/* SPDX-License-Identifier: BSD-2-Clause */
/* Other programs, and pipes to and from them. */
#include "video/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui/error_line.h"

#define LONGEST_COMPLAINT 4096

/* What we ignore, a child must not. */
static void set_up(void *unused)
{
    (void)unused;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
}

static int nameless_file(void)
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

bool child_start(Child *child, char *const *arguments, ChildPipe which)
{
    int ends[2], nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    GError *error = NULL;
    *child = (Child){.pipe = -1, .errors = nameless_file()};
    if (nothing < 0 || child->errors < 0 || pipe(ends) != 0) {
        complain(arguments[0], strerror(errno));
        return false;
    }
    bool reads = which == CHILD_OUTPUT;
    int ours = ends[reads ? 0 : 1], theirs = ends[reads ? 1 : 0];
    fcntl(ours, F_SETFD, FD_CLOEXEC);
    fcntl(theirs, F_SETFD, FD_CLOEXEC);
    bool ok = g_spawn_async_with_fds(NULL, (char **)arguments, NULL,
                                     G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, set_up, NULL,
                                     &child->pid, reads ? nothing : theirs,
                                     reads ? theirs : nothing, child->errors, &error);
    close(theirs);
    close(nothing);
    child->pipe = ours;
    if (!ok) {
        bool missing = g_error_matches(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT);
        complain(arguments[0], missing ? "is not installed" : error->message);
        g_error_free(error);
        child->pid = 0;
        child_free(child);
    }
    return ok;
}

size_t child_read(const Child *child, void *bytes, size_t size)
{
    size_t have = 0;
    while (have < size) {
        ssize_t got = read(child->pipe, (char *)bytes + have, size - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    return have;
}

bool child_write(const Child *child, const void *bytes, size_t size)
{
    size_t have = 0;
    while (have < size) {
        ssize_t put = write(child->pipe, (const char *)bytes + have, size - have);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        have += (size_t)put;
    }
    return true;
}

static void close_pipe(Child *child)
{
    if (child->pipe >= 0)
        close(child->pipe);
    child->pipe = -1;
}

bool child_end(Child *child)
{
    int status = 1;
    close_pipe(child);
    if (child->pid == 0)
        return false;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    g_spawn_close_pid(child->pid);
    child->pid = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void child_kill(Child *child)
{
    if (child->pid > 0)
        kill(child->pid, SIGKILL);
    child_end(child);
}

char *child_complaint(const Child *child)
{
    char text[LONGEST_COMPLAINT + 1];
    ssize_t n = child->errors >= 0 ? pread(child->errors, text, LONGEST_COMPLAINT, 0) : 0;
    text[n > 0 ? n : 0] = '\0';
    g_strstrip(text);
    text[strcspn(text, "\r\n")] = '\0';
    return text[0] != '\0' ? g_strdup(text) : NULL;
}

void child_free(Child *child)
{
    if (child->pid > 0)
        child_kill(child);
    close_pipe(child);
    if (child->errors >= 0)
        close(child->errors);
    child->errors = -1;
}

char *child_printed(char *const *arguments, char **complaint)
{
    Child child;
    *complaint = NULL;
    if (!child_start(&child, arguments, CHILD_OUTPUT))
        return NULL;
    GString *text = g_string_new(NULL);
    char block[4096];
    for (size_t n; (n = child_read(&child, block, sizeof block)) > 0;)
        g_string_append_len(text, block, (gssize)n);
    bool ok = child_end(&child);
    if (!ok)
        *complaint = child_complaint(&child);
    if (!ok && !*complaint)
        *complaint = g_strdup("it failed");
    child_free(&child);
    return g_string_free(text, !ok);
}
