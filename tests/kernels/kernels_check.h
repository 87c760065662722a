/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of a level, one for each group of kernels. */
#ifndef KERNELS_CHECK_H
#define KERNELS_CHECK_H

#include "kernel_data.h"

void check_colour(const Level *level);
void check_nearest(const Level *level);
void check_count(const Level *level);
void check_filter(const Level *level);
void check_grey(const Level *level);
void check_fast(const Level *level);
void check_refine(const Level *level);

#endif
