/* SPDX-License-Identifier: BSD-2-Clause */
/* Working values between passes: their labels, residual correction, and the mean of several
 * palettes. */
#ifndef COF_OPENCL_VALUES_H
#define COF_OPENCL_VALUES_H

#include "opencl_image.h"

/* As in CofiDeviceModule. */
CofStatus cofcl_relabel_grey(CofiDeviceImage *image, bool is_exact, double low, double high, int k);
CofStatus cofcl_relabel_rgb(CofiDeviceImage *image, const float *centres, int k);
CofStatus cofcl_keep(CofiDeviceImage *image);
CofStatus cofcl_subtract(CofiDeviceImage *image);
CofStatus cofcl_add_kept(CofiDeviceImage *image);
CofStatus cofcl_add_to_mean(CofiDeviceImage *image);

#endif
