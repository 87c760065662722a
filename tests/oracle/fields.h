/* SPDX-License-Identifier: BSD-2-Clause */
/* Images as the oracle sees them: values in double precision, and what may come of them. */
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

/* What an output sample should be: clamped and rounded as its type demands; and how far off it may
 * be. */
double expected_sample(const TestImage *image, double value);
double tolerance_of(const TestImage *image);

#endif
