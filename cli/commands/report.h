/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON report of --report. */
#ifndef COF_REPORT_H
#define COF_REPORT_H

#include <vips/vips.h>

#include "vips/vips_call.h"

/* Saves how `out` was made from `in`: versions, files, options, times. Prints an error on failure.
 */
bool report_save(const Arguments *arguments, const OptionImages *images, const char *input,
                 VipsImage *in, VipsImage *out);

#endif
