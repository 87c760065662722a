/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations cof, cof_learn and cof_label, for the module and for the command. */
#ifndef COF_VIPS_OPERATIONS_H
#define COF_VIPS_OPERATIONS_H

#include <cof/cof.h>
#include <vips/vips.h>

GType vips_cof_smooth_get_type(void);
GType vips_cof_learn_get_type(void);
GType vips_cof_label_get_type(void);

/* The report of an image that the operation cof made, as JSON for g_free(); complete once all
 * pixels were computed. NULL: no report. */
char *vips_cof_report(VipsImage *image);

/* Opens a device (see cof_context_new_device()), and keeps it for the operations. FALSE with a
 * problem if it cannot be used. */
gboolean vips_cof_device_ready(const char *name, CofProblem *problem);

/* Why the last operation that this thread built left work to the CPU that its device could have
 * done (see CofReport); NULL: it did not, or had no device. Never freed. */
const char *vips_cof_device_note(void);

/* Why an operation failed. */
typedef struct VipsCofProblem {
    CofStatus status;
    const char *option;   /* name of the option at fault, as in cof_option_info(), or NULL */
    const char *argument; /* name of the argument at fault, such as "guide", "model" (also for
                           * model_blob), "palette_from" or "in", or NULL */
    int index;            /* of the image, if the argument is an array of images; otherwise 0 */
    char text[256];       /* the line in libvips' error buffer, without the operation's name */
} VipsCofProblem;

/* Copies the first problem since this thread built an operation or cleared its problems. Each
 * thread has its own problem, although libvips has one error buffer for all. FALSE: there is none:
 * the error comes from libvips itself, such as from a loader, or from an image that is computed on
 * demand. Texts belong to the operations and are never freed. */
gboolean vips_cof_problem(VipsCofProblem *problem);
void vips_cof_problem_clear(void);

#endif
