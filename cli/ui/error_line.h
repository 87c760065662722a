/* SPDX-License-Identifier: BSD-2-Clause */
/* Error messages of one line. */
#ifndef COF_ERROR_LINE_H
#define COF_ERROR_LINE_H

#include <stdbool.h>

#include "cof/cof.h"

/* Prints "cof: name: cause". */
void print_error(const char *name, const char *cause);

/* Prints "cof: " and a text about the usage. Arguments that it quotes may contain anything. */
__attribute__((format(printf, 1, 2))) void print_usage_error(const char *format, ...);

/* Notes are not printed after this call. */
void notes_disable(void);

/* Prints "cof: note: name: text", or without the name if it is NULL. */
void print_note(const char *name, const char *text);

/* Prints the last error of libvips as the cause, or `fallback` if there is none. */
void print_vips_error(const char *name, const char *fallback);

/* The same for these lines, which libvips' errors were at some time. */
void print_vips_text(const char *name, const char *lines, const char *fallback);

/* Prints why libvips could not write an output. `file` is the file that it was writing, or NULL.
 * Some formats do not say that the disk is full. */
void print_vips_write_error(const char *name, const char *file);

/* Prints the library's reason as the cause. Returns false. */
bool print_cof_problem(const char *name, const CofProblem *problem);

/* Holds back the lines of this thread, and then prints or drops them. libvips has one error buffer
 * for all threads: its text can be that of another thread, unless only one is at work. */
void error_lines_hold(void);
bool error_lines_have_vips_error(void);
void error_lines_end(bool print);

#endif
