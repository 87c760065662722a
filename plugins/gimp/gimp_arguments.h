/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the procedure: those that every procedure on a drawable has, then one for each
 * property of the operation. */
#ifndef COF_GIMP_ARGUMENTS_H
#define COF_GIMP_ARGUMENTS_H

#include <libgimp/gimp.h>

/* Where they stand. */
enum { ARGUMENT_RUN_MODE, ARGUMENT_IMAGE, ARGUMENT_DRAWABLE, FIRST_PROPERTY, ARGUMENTS = 18 };

/* Longer names of files are calling_error. */
#define MAX_NAME 4096

/* What the properties were set to, as GIMP keeps it for the next time. */
typedef struct ArgumentValues {
    double numbers[ARGUMENTS - FIRST_PROPERTY]; /* that of the model is not used */
    char model[MAX_NAME];
} ArgumentValues;

const GimpParamDef *arguments(void);

/* The values of a call, or a sentence that says what is wrong; g_free() it. */
char *arguments_read(const GimpParam *values, ArgumentValues *settings);

/* The defaults of the operation. */
void arguments_default(ArgumentValues *settings);

/* Sets the properties of a node; again a sentence if one is out of range. */
char *arguments_apply(const ArgumentValues *settings, GeglNode *node);

#endif
