/* SPDX-License-Identifier: BSD-2-Clause */
/* What was asked for on the command line. */
#ifndef COF_ARGUMENTS_H
#define COF_ARGUMENTS_H

#include <stdbool.h>

#include "cof/cof.h"

typedef struct Arguments {
    const char *input, *output;
    const char *mask, *labels; /* NULL: none */
    CofRect region;            /* all 0: everywhere */
    bool colours_given;
    CofOptions options;
} Arguments;

typedef enum Wish { WISH_FILTER, WISH_NOTHING, WISH_WRONG } Wish;

/* Reads the arguments. Answers --help and --version itself (WISH_NOTHING); complains in one line
 * about what is wrong (WISH_WRONG). */
Wish arguments_read(Arguments *arguments, int argc, char **argv);

#endif
