/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures about what the filter did. */
#ifndef COF_COMPARISON_H
#define COF_COMPARISON_H

#include <stdbool.h>
#include <vips/vips.h>

/* Each returns NULL with libvips' error set if it fails. */

/* What was removed, around middle grey. */
VipsImage *sheet_detail(VipsImage *before, VipsImage *after);

/* Both, side by side; of wide pictures, one above the other. */
VipsImage *sheet_compare(VipsImage *before, VipsImage *after);

/* Saves one of these, and unrefs it; complains if that fails, or it is NULL. */
bool sheet_save(VipsImage *sheet, const char *name, VipsImage *input);

#endif
