/* SPDX-License-Identifier: BSD-2-Clause */
/* How passes measure what they change. */
#ifndef COF_PASS_CHANGE_H
#define COF_PASS_CHANGE_H

#include <stdbool.h>

#include "filter/filter.h"

/* Whether they measure it, in 8-bit units; and the factor from working values of a band to these.
 */
bool cofi_pass_is_measured(const CofiFilter *filter);
double cofi_pass_unit(const CofiFilter *filter, int band);

#endif
