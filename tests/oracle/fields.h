/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures as the oracle sees them: values in double precision, and what may come of them. */
#ifndef COF_FIELDS_H
#define COF_FIELDS_H

#include "oracle.h"
#include "testing.h"

int colour_bands(const Picture *picture); /* channels but alpha */
bool is_rgb(const Picture *picture);
double sample_max(const Picture *picture);
bool has_data(const Picture *picture, int x, int y);

/* Working values: Lab or samples. */
Field field_of(const Picture *picture, bool lab);

/* What an output sample should be: clamped and rounded as its type demands; and how far off it may
 * be. */
double expected_sample(const Picture *picture, double value);
double tolerance_of(const Picture *picture);

#endif
