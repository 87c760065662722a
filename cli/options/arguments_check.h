/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that the arguments are complete and can be combined. */
#ifndef COF_ARGUMENTS_CHECK_H
#define COF_ARGUMENTS_CHECK_H

#include "options/arguments.h"

/* Prints an error of one line and returns false if not. */
bool arguments_check(const Arguments *arguments);

#endif
