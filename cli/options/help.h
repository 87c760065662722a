/* SPDX-License-Identifier: BSD-2-Clause */
/* The help, and what shells complete. All is printed to standard output. */
#ifndef COF_HELP_H
#define COF_HELP_H

#include "options/subcommands.h"

/* The help of a subcommand, or of `cof` if it is NULL. */
void print_help(const SubcommandRow *subcommand);

/* The names of all subcommands, one per line. */
void print_subcommands(void);

/* The options of a subcommand, one per line: the name, a tab and the text of the help. */
void print_option_names(const SubcommandRow *subcommand);

/* The values of an option, or the operands of a subcommand, one per line. "*.cof" stands for files
 * of that suffix and "*" for all files; an option without a value has no line. */
void print_words(const char *name);

#endif
