/* SPDX-License-Identifier: BSD-2-Clause */
/* Working values between passes: residual correction, and the mean of several palettes. */
#ifndef COF_OPENCL_VALUES_H
#define COF_OPENCL_VALUES_H

#include "opencl_image.h"

/* As in CofiDeviceModule. */
CofStatus cofcl_remap(CofiDeviceImage *image, const uint8_t table[256]);
CofStatus cofcl_keep(CofiDeviceImage *image);
CofStatus cofcl_subtract(CofiDeviceImage *image);
CofStatus cofcl_add_kept(CofiDeviceImage *image);
CofStatus cofcl_add_to_mean(CofiDeviceImage *image);

#endif
