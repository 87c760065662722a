/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the GEGL operation to a drawable. */
#ifndef COF_GIMP_APPLY_H
#define COF_GIMP_APPLY_H

#include <stdbool.h>

#include "gimp_arguments.h"

#define OPERATION "cof:filter"

/* The result of a call. `problem` is an error message for g_free(), or NULL. */
typedef struct Result {
    GimpPDBStatusType status;
    char *problem;
} Result;

/* Returns why a drawable cannot be filtered, or NULL if it can. */
const char *drawable_problem(gint32 drawable);

/* Filters the selected part of the drawable as one undo step. On failure the drawable is unchanged.
 * */
Result apply_to_drawable(gint32 drawable, const ArgumentValues *settings);

#endif
