/* SPDX-License-Identifier: BSD-2-Clause */
/* What was done, for machines to read. */
#ifndef COF_REPORT_H
#define COF_REPORT_H

#include <vips/vips.h>

#include "vips/vips_call.h"

/* Saves what was done to make `out` of `in`, with versions, names and options. Complains if that
 * fails. */
bool report_save(const Arguments *arguments, const Pictures *pictures, const char *input,
                 VipsImage *in, VipsImage *out);

#endif
