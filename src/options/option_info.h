/* SPDX-License-Identifier: BSD-2-Clause */
/* The option table of options.def, as data. */
#ifndef COF_OPTIONS_OPTION_INFO_H
#define COF_OPTIONS_OPTION_INFO_H

#include "cof/cof.h"

/* The value of an option in a complete CofOptions, as a double; seeds above 2^53 are rounded. */
double cofi_option_get(const CofOptions *options, const CofOptionInfo *info);

/* Stores a value that is in range. */
void cofi_option_put(CofOptions *options, const CofOptionInfo *info, double value);

/* Is the value allowed? False for NaN. */
int cofi_option_allows(const CofOptionInfo *info, double value);

/* "window must be an odd number from 1 to 63" */
const char *cofi_option_range(const CofOptionInfo *info);

#endif
