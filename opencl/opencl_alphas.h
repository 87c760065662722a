/* SPDX-License-Identifier: BSD-2-Clause */
/* Alphas of an image on a device. */
#ifndef COF_OPENCL_ALPHAS_H
#define COF_OPENCL_ALPHAS_H

#include "opencl_image.h"

/* As in CofiDeviceModule. */
CofStatus cofcl_find_alphas(CofiDeviceImage *image, const uint8_t *valid, bool has_alpha);
CofStatus cofcl_count_valid(CofiDeviceImage *image, CofRect rect, double *pixels);

#endif
