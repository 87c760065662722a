/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of CofOptions, found through the option table. */
#ifndef COF_OPTION_FIELDS_H
#define COF_OPTION_FIELDS_H

#include <stdbool.h>

#include "cof/cof.h"

/* Is it an option that this program was compiled with? A newer shared libcof may have more. */
bool option_is_known(const CofOptionInfo *info);

/* Is it a known option for smoothing one image, which hosts of still images offer? */
bool option_is_for_smoothing(const CofOptionInfo *info);

/* Writes a field; a choice is the index of its word. The value is not checked. */
void option_put(CofOptions *options, const CofOptionInfo *info, double value);

/* Copies a field. */
void option_copy(CofOptions *to, const CofOptions *from, const CofOptionInfo *info);

/* Are all known options of a group equal? */
bool options_equal(const CofOptions *a, const CofOptions *b, CofOptionGroup group);

#endif
