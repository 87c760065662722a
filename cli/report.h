/* SPDX-License-Identifier: BSD-2-Clause */
/* What was done, for machines to read. */
#ifndef COF_REPORT_H
#define COF_REPORT_H

#include <vips/vips.h>

#include "arguments.h"

/* Saves the report of the operation (NULL: it made none), with versions, names and options.
 * Complains if that fails. */
bool report_save(const Arguments *arguments, const char *input, VipsImage *image,
                 const char *of_operation);

#endif
