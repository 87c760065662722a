/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums the reports of all libcof calls of an operation. */
#ifndef COF_VIPS_REPORT_H
#define COF_VIPS_REPORT_H

#include <cof/cof.h>
#include <vips/vips.h>

/* Thread-safe and reference-counted. */
typedef struct RunReport RunReport;

RunReport *run_report_new(void);
RunReport *run_report_ref(RunReport *report);
void run_report_unref(RunReport *report);

/* Adds the report of one call. Passes, if there are any, ran over `pixels` pixels. */
void run_report_add(RunReport *report, const CofReport *call, double pixels);

/* Counts a filtered tile, with so many pixels that hold no data. */
void run_report_add_tile(RunReport *report, gint64 invalid);

/* The current sums as JSON, for g_free(). Where libvips ran the threads, seconds are summed over
 * all of them. */
char *run_report_text(RunReport *report);

/* Attaches the report to an image; images derived from it inherit the report. */
void run_report_attach(VipsImage *image, RunReport *report);

#endif
