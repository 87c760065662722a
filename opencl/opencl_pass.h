/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of the filter on a device. */
#ifndef COF_OPENCL_PASS_H
#define COF_OPENCL_PASS_H

#include "opencl_image.h"

/* A multiple of the rows of a tile. */
#define COFCL_STRIP_ROWS 32

/* As in CofiDeviceModule. */
CofStatus cofcl_pass_start(CofiDeviceImage *image, const CofiDevicePass *pass);
CofStatus cofcl_pass_rows(CofiDeviceImage *image, int first, int last);
CofStatus cofcl_pass_end(CofiDeviceImage *image, double *change);

#endif
