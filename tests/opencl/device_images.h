/* SPDX-License-Identifier: BSD-2-Clause */
/* Images for the tests of devices. */
#ifndef COF_DEVICE_IMAGES_H
#define COF_DEVICE_IMAGES_H

#include "testing.h"

/* Smooth areas with edges, noise and a few flat colours. */
TestImage painted(Random *random, int width, int height, CofKind kind, CofSample sample);

/* Compares 8-bit images: samples differ by at most 1. Counts all samples, and those that differ. */
extern double compared, different;
void compare(const TestImage *a, const TestImage *b);

#endif
