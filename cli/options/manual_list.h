/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of options in the manual page. */
#ifndef COF_MANUAL_LIST_H
#define COF_MANUAL_LIST_H

/* Prints the options of all subcommands by section, for scdoc. What several subcommands describe
 * alike is listed once, with their names. */
void print_manual_list(void);

#endif
