/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures of the operations: the libvips error and what it is about. */
#ifndef COF_VIPS_PROBLEM_H
#define COF_VIPS_PROBLEM_H

#include <stdbool.h>

#include "vips_operations.h"

/* An argument of an operation, which a failure is about. */
typedef struct Argument {
    const char *operation; /* such as "cof" */
    const char *name;      /* such as "guide"; NULL: none in particular */
    int index;             /* of an image in an array */
    bool mask, region;     /* does the operation learn only inside these? */
} Argument;

/* Sets the libvips error to the problem of a libcof call that worked on this argument, and records
 * what it is about. Returns -1. */
int problem_fail(const Argument *argument, const CofProblem *problem);

/* Reports a failure found by an operation. */
int problem_refuse(const Argument *argument, CofStatus status, const char *text);

/* Reports a failure that is about an option, named as in the option table. */
int problem_refuse_option(const char *operation, const char *option, const char *text);

#endif
