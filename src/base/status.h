/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a call failed. `problem` may be NULL everywhere. */
#ifndef COF_BASE_STATUS_H
#define COF_BASE_STATUS_H

#include "cof/cof.h"

/* Clears what an earlier call has written. */
void cofi_no_problem(CofProblem *problem);

/* Each writes a problem and returns its status. Texts must be constants. */
CofStatus cofi_problem(CofProblem *problem, CofStatus status, const char *text);
CofStatus cofi_option_problem(CofProblem *problem, const char *option, const char *text);
CofStatus cofi_argument_problem(CofProblem *problem, CofStatus status, const char *argument,
                                const char *text);

/* Fails for the first pointer that is NULL; the list ends with a name that is NULL. */
typedef struct CofiPointer {
    const void *pointer;
    const char *argument;
} CofiPointer;
CofStatus cofi_check_pointers(CofProblem *problem, const CofiPointer *pointers);

/* Writes the text of the status, unless it is COF_OK or the problem has a text already. */
CofStatus cofi_status_problem(CofProblem *problem, CofStatus status);

#endif
