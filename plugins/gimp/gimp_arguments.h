/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the procedure: the three that GIMP requires, then one for each property of the
 * GEGL operation. */
#ifndef COF_GIMP_ARGUMENTS_H
#define COF_GIMP_ARGUMENTS_H

#include <libgimp/gimp.h>

/* Positions of the arguments. */
enum { ARGUMENT_RUN_MODE, ARGUMENT_IMAGE, ARGUMENT_DRAWABLE, FIRST_PROPERTY, ARGUMENTS = 18 };

/* Size of a file name, with its terminating 0. */
#define MAX_NAME 4096

/* The property values of a call, which GIMP stores for RUN-WITH-LAST-VALS. */
typedef struct ArgumentValues {
    double numbers[ARGUMENTS - FIRST_PROPERTY]; /* the entry of the model is unused */
    char model[MAX_NAME];
} ArgumentValues;

const GimpParamDef *arguments(void);

/* Reads the arguments of a call. Returns NULL or an error message for g_free(). */
char *arguments_read(const GimpParam *values, ArgumentValues *settings);

/* Sets all values to the defaults of the operation. */
void arguments_default(ArgumentValues *settings);

/* Sets the properties of a node. Returns NULL or, if a value is out of range, an error message for
 * g_free(). */
char *arguments_apply(const ArgumentValues *settings, GeglNode *node);

#endif
