/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts test images to the oracle's fields, and computes expected samples and tolerances. */
#ifndef COF_FIELDS_H
#define COF_FIELDS_H

#include "oracle.h"
#include "testing.h"

int colour_bands(const TestImage *image); /* channels but alpha */
bool is_rgb(const TestImage *image);
double sample_max(const TestImage *image);
bool has_data(const TestImage *image, int x, int y);

/* Working values: Lab or samples. */
Field field_of(const TestImage *image, bool lab);

/* The expected output sample, clamped and rounded for its type, and its tolerance. */
double expected_sample(const TestImage *image, double value);
double tolerance_of(const TestImage *image);

#endif
