/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the procedure: the three that GIMP requires, the options of the table that the
 * GEGL operation has, and the model. */
#ifndef COF_GIMP_ARGUMENTS_H
#define COF_GIMP_ARGUMENTS_H

#include <libgimp/gimp.h>

/* Positions of the arguments. */
enum { ARGUMENT_RUN_MODE, ARGUMENT_IMAGE, ARGUMENT_DRAWABLE, FIRST_PROPERTY };

#define MAX_ARGUMENTS 64

/* Size of a file name, with its terminating 0. */
#define MAX_NAME 4096

/* The property values of a call, which GIMP stores for RUN-WITH-LAST-VALS. */
typedef struct ArgumentValues {
    double numbers[MAX_ARGUMENTS]; /* those of other arguments than options are unused */
    char model[MAX_NAME];
} ArgumentValues;

/* The arguments, which are made by the first call, and their number. */
const GimpParamDef *arguments(void);
int argument_count(void);

/* Reads the arguments of a call. Returns NULL or an error message for g_free(). */
char *arguments_read(const GimpParam *values, ArgumentValues *settings);

/* Sets all values to the defaults of the operation. */
void arguments_default(ArgumentValues *settings);

/* Sets the properties of a node. Returns NULL or, if a value is out of range, an error message for
 * g_free(). */
char *arguments_apply(const ArgumentValues *settings, GeglNode *node);

#endif
