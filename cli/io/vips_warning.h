/* SPDX-License-Identifier: BSD-2-Clause */
/* Warnings of GObject, which are errors here. */
#ifndef COF_VIPS_WARNING_H
#define COF_VIPS_WARNING_H

#include <stdbool.h>

/* GObject only warns about a value out of range in a file header or save option, and ignores the
 * value. Here such a warning is an error. Warnings in libvips' own threads need no care, because
 * the operation fails there anyway. */

/* To be called once, by the main thread, before the others. */
void vips_warning_init(void);

void vips_warning_clear(void);

/* Whether this thread had a warning since vips_warning_clear(). Prints it as an error about `name`,
 * unless that is NULL. */
bool vips_warning_print(const char *name);

#endif
