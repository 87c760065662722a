/* SPDX-License-Identifier: BSD-2-Clause */
/* Options in words, for the help and the manual page. */
#ifndef COF_OPTION_TEXT_H
#define COF_OPTION_TEXT_H

#include "options/command_options.h"

#define MAX_OPTION_TEXT 256

/* What an option of a subcommand does, its range and its default. */
void option_describe(const Option *option, Subcommand subcommand, char text[MAX_OPTION_TEXT]);

/* The name of the value, such as N or exact|fast|auto; empty if there is none. */
void option_describe_value(const Option *option, char text[MAX_OPTION_TEXT]);

#endif
