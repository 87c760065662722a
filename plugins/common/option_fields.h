/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of CofOptions, found through the option table. */
#ifndef COF_OPTION_FIELDS_H
#define COF_OPTION_FIELDS_H

#include <stdbool.h>

#include "cof/cof.h"

/* Is it an option for smoothing one image, which hosts of still images offer? */
bool option_is_for_smoothing(const CofOptionInfo *info);

/* Writes a field; a choice is the index of its word. The value is not checked. */
void option_put(CofOptions *options, const CofOptionInfo *info, double value);

/* Are all options of a group equal? */
bool options_equal(const CofOptions *a, const CofOptions *b, CofOptionGroup group);

#endif
