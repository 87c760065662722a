/* SPDX-License-Identifier: BSD-2-Clause */
/* Refinement of a result on a device. */
#ifndef COF_OPENCL_REFINE_H
#define COF_OPENCL_REFINE_H

#include "opencl_image.h"

/* As in CofiDeviceModule. */
CofStatus cofcl_mark(CofiDeviceImage *image, const uint8_t weighs[256], bool is_first);
CofStatus cofcl_refine(CofiDeviceImage *image, const CofiDeviceRefine *refine);

#endif
