/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of CofOptions, found through the option table. */
#ifndef COF_OPTION_FIELDS_H
#define COF_OPTION_FIELDS_H

#include <stdbool.h>

#include "cof/cof.h"

/* Writes a field; a choice is the index of its word. The value is not checked. */
void option_put(CofOptions *options, const CofOptionInfo *info, double value);

/* Are all options of a group equal? */
bool options_equal(const CofOptions *a, const CofOptions *b, CofOptionGroup group);

#endif
