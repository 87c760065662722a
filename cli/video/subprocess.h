/* SPDX-License-Identifier: BSD-2-Clause */
/* Subprocesses, with a pipe to their standard input or from their standard output. */
#ifndef COF_SUBPROCESS_H
#define COF_SUBPROCESS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Subprocess {
    GPid pid;        /* 0 if there is no process */
    int pipe;        /* the other end of its standard output or standard input */
    int stderr_file; /* an unnamed file that receives its standard error */
} Subprocess;

typedef enum SubprocessPipe { SUBPROCESS_STDOUT, SUBPROCESS_STDIN } SubprocessPipe;

/* A list of the program and its arguments, which end with NULL, for subprocess_start(). */
GPtrArray *subprocess_list(const char *const *words);
#define subprocess_arguments(...) subprocess_list((const char *const[]){__VA_ARGS__})

/* Adds words, which end with NULL. */
void subprocess_add_list(GPtrArray *arguments, const char *const *words);
#define subprocess_add(arguments, ...) \
    subprocess_add_list(arguments, (const char *const[]){__VA_ARGS__})

/* Adds an option with its value; nothing if the value is NULL or empty. */
void subprocess_add_option(GPtrArray *arguments, const char *option, const char *value);

/* Starts a program with a pipe to one of its streams; the other one is /dev/null. Prints an error
 * and returns false on failure. Frees the arguments. */
bool subprocess_start(Subprocess *process, GPtrArray *arguments, SubprocessPipe pipe);

/* Reads `size` bytes, or fewer at the end of the stream. Returns the number of bytes. */
size_t subprocess_read(const Subprocess *process, void *bytes, size_t size);

/* Writes `size` bytes; false if the pipe does not take them. */
bool subprocess_write(const Subprocess *process, const void *bytes, size_t size);

/* Closes the pipe and waits for the process; true if its exit status is 0. */
bool subprocess_wait(Subprocess *process);

/* Kills all processes and waits for them. For a signal handler that then ends this process:
 * async-signal-safe, and threads that use a subprocess afterwards never return. */
void subprocess_kill_all(void);

/* Kills the process and waits for it. */
void subprocess_kill(Subprocess *process);

/* What the process wrote to its standard error; free it with g_free(). Call it between
 * subprocess_wait() and subprocess_free(). */
char *subprocess_log(const Subprocess *process);
void subprocess_free(Subprocess *process);

/* Runs a program and returns its standard output, or NULL if it failed. Frees the arguments. Sets
 * *log to its standard error, or to NULL if an error has been printed because it could not be
 * started. Free both with g_free(). */
char *subprocess_output(GPtrArray *arguments, char **log);

#endif
