/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of the fast filter on a device. */
#ifndef COF_OPENCL_FAST_H
#define COF_OPENCL_FAST_H

#include "kernels/shapes.h"
#include "opencl_image.h"

/* As in CofiDeviceModule. */
bool cofcl_can_be_fast(const CofiDevice *device, int step, int radius);

/* Takes and fills the tables of a pass. */
CofStatus cofcl_fast_start(CofiDeviceImage *image);

/* Filters the rows of the shape. */
CofStatus cofcl_fast_rows(CofiDeviceImage *image, PassShape shape);

#endif
