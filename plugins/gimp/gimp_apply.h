/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation applied to a drawable. */
#ifndef COF_GIMP_APPLY_H
#define COF_GIMP_APPLY_H

#include <stdbool.h>

#include "gimp_arguments.h"

#define OPERATION "cof:filter"

/* What came of it: `problem` is a sentence that g_free() gives back, or NULL. */
typedef struct Result {
    GimpPDBStatusType status;
    char *problem;
} Result;

/* Why something cannot be filtered at all; NULL: it can. */
const char *drawable_problem(gint32 drawable);

/* Filters the drawable where it is selected, as one step that can be undone. On failure it stays
 * what it was. */
Result apply_to_drawable(gint32 drawable, const ArgumentValues *settings);

#endif
