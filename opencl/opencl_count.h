/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts pairs of labels on a device. */
#ifndef COF_OPENCL_COUNT_H
#define COF_OPENCL_COUNT_H

#include "opencl_device.h"

/* As in CofiDeviceModule. */
CofStatus cofcl_count_start(CofiDevice *device, const CofiDeviceCount *count);
CofStatus cofcl_count_add(CofiDevice *device, CofRect references);
CofStatus cofcl_count_read(CofiDevice *device, uint32_t *pairs, uint32_t *histogram);
void cofcl_count_end(CofiDevice *device);

#endif
