/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations cof, cof_learn and cof_label, for the module and for the command. */
#ifndef COF_VIPS_OPERATIONS_H
#define COF_VIPS_OPERATIONS_H

#include <vips/vips.h>

GType vips_cof_smooth_get_type(void);
GType vips_cof_learn_get_type(void);
GType vips_cof_label_get_type(void);

/* The report of an image that the operation cof made, as JSON for g_free(); complete once all
 * pixels were computed. NULL: no report. */
char *vips_cof_report(VipsImage *image);

#endif
