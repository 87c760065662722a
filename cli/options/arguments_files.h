/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that the command line names: inputs and outputs. */
#ifndef COF_ARGUMENTS_FILES_H
#define COF_ARGUMENTS_FILES_H

#include "options/arguments.h"

/* How many operands are inputs; they come first. */
int arguments_n_inputs(const Arguments *arguments);

/* The last operand if it is the output, otherwise the value of --output, which may be NULL. */
const char *arguments_last_output(const Arguments *arguments);

/* Whether each input has an output of its own: filter with several inputs or a folder. */
bool arguments_is_batch(const Arguments *arguments);

/* The output of input `i` of a batch; otherwise the output of the command, or NULL. Free with
 * g_free(). */
char *arguments_output(const Arguments *arguments, int i);

/* The input that the output may replace; NULL if it may replace none. */
const char *arguments_replaceable(const Arguments *arguments, int i);

/* Checks that no file is written twice, that inputs are replaced only with --in-place, and that
 * --format and --quality have an effect. libvips must have been started for images. Prints an error
 * about wrong usage and returns false if not. */
bool arguments_check_files(const Arguments *arguments);

/* The output that would be written to a file, or that this file belongs to; NULL: none. To be
 * called after arguments_check_files(). */
const char *arguments_output_at(const char *path);

/* Whether an output exists, so that it would be replaced. To be called after that, too. */
bool arguments_replace_files(void);

#endif
