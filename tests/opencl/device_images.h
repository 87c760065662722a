/* SPDX-License-Identifier: BSD-2-Clause */
/* A device and images for the tests of devices. */
#ifndef COF_DEVICE_IMAGES_H
#define COF_DEVICE_IMAGES_H

#include "testing.h"

/* The device that open_device() opens, for a group of tests. */
extern CofContext *device;
int open_device(void **state);
int close_device(void **state);

/* The share of 16-bit samples that may differ: between two instruction sets of the CPU, up to 0.005
 * do. */
#define MAX_DIFFERENT_WORDS 0.01

/* Smooth areas with edges, noise and a few flat colours. */
TestImage painted(Random *random, int width, int height, CofKind kind, CofSample sample);

/* Compares 8-bit images: samples differ by at most 1. Counts all samples, and those that differ. */
extern double compared, different;
void compare(const TestImage *a, const TestImage *b);

#endif
