/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of the fast filter on a device. */
#ifndef COF_OPENCL_FAST_H
#define COF_OPENCL_FAST_H

#include "kernels/shapes.h"
#include "opencl_image.h"

/* As in CofiDeviceModule. */
bool cofcl_can_be_fast(const CofiDevice *device, int step, int radius);

/* The bytes of cells that are splatted together, unless a row of tiles needs more. */
size_t cofcl_most_cells(const CofiDevice *device);

/* Takes and fills the tables of a pass. */
CofStatus cofcl_fast_start(CofiDeviceImage *image);

/* Filters the rows of the shape. */
CofStatus cofcl_fast_rows(CofiDeviceImage *image, PassShape shape);

#endif
