/* SPDX-License-Identifier: BSD-2-Clause */
/* What libcof did for an operation, over all its calls. */
#ifndef COF_VIPS_REPORT_H
#define COF_VIPS_REPORT_H

#include <cof/cof.h>
#include <vips/vips.h>

/* Any thread may use it at any time. */
typedef struct RunReport RunReport;

RunReport *run_report_new(void);
RunReport *run_report_ref(RunReport *report);
void run_report_unref(RunReport *report);

/* Adds what a call did; `pixels` that it filtered, 0 for one that learned. */
void run_report_add(RunReport *report, const CofReport *call, double pixels);

/* So far, as JSON; for g_free(). The seconds are those of all threads, where libvips ran them. */
char *run_report_text(RunReport *report);

/* Gives an image, and all that is made of it, the report of how it comes about. */
void run_report_attach(VipsImage *image, RunReport *report);

#endif
