/* SPDX-License-Identifier: BSD-2-Clause */
/* Text files with a matrix of numbers. */
#ifndef COF_MATRIX_FILE_H
#define COF_MATRIX_FILE_H

#include <vips/vips.h>

/* Reads a square matrix whose numbers are separated by commas, semicolons, tabs or spaces. Prints
 * an error and returns NULL on failure. */
VipsImage *matrix_file_open(const char *name);

#endif
