/* SPDX-License-Identifier: BSD-2-Clause */
/* Other programs, and pipes to and from them. */
#ifndef COF_SUBPROCESS_H
#define COF_SUBPROCESS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Child {
    GPid pid;   /* 0: none */
    int pipe;   /* its standard output, or its standard input */
    int errors; /* what it complains of: a file without a name */
} Child;

typedef enum ChildPipe { CHILD_OUTPUT, CHILD_INPUT } ChildPipe;

/* Starts a program, whose other streams are closed; complains about it, and returns false, if that
 * fails. */
bool child_start(Child *child, char *const *arguments, ChildPipe pipe);

/* All of `size` bytes, or as many as there are. */
size_t child_read(const Child *child, void *bytes, size_t size);
bool child_write(const Child *child, const void *bytes, size_t size);

/* Closes the pipe and waits; true if the program is content with itself. */
bool child_end(Child *child);

/* Ends it, whatever it does. */
void child_kill(Child *child);

/* The first line of its complaints, for g_free(); NULL: none. After child_end(), before
 * child_free(). */
char *child_complaint(const Child *child);
void child_free(Child *child);

/* What a program prints, for g_free(); NULL: it failed, and *complaint (for g_free(), may be NULL)
 * says why. */
char *child_printed(char *const *arguments, char **complaint);

#endif
