/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures of the libvips operations of cof: which file is at fault, and why. */
#ifndef COF_VIPS_FAULT_H
#define COF_VIPS_FAULT_H

#include "options/arguments.h"
#include "vips/vips_call.h"

/* The files of an operation, and the images in them. */
typedef struct OperationFiles {
    const char *input;    /* or the first of several */
    char **inputs;        /* all of an array of inputs; NULL: one input */
    VipsImage *const *in; /* the image of each input */
    int n_in;
    const char *model;          /* NULL: none */
    const OptionImages *images; /* that options name */
} OperationFiles;

/* Prints the problem of the last operation, and the file that it is about. `fallback` is the cause
 * if libvips does not tell one. */
void print_operation_error(const Arguments *arguments, const OperationFiles *files,
                           const char *fallback);

#endif
