/* SPDX-License-Identifier: BSD-2-Clause */
/* A matrix of numbers, as text. */
#ifndef COF_MATRIX_FILE_H
#define COF_MATRIX_FILE_H

#include <vips/vips.h>

/* As many rows as columns, with commas, semicolons, tabs or spaces between numbers. Complains and
 * returns NULL if that fails. */
VipsImage *matrix_file_open(const char *name);

#endif
