/* SPDX-License-Identifier: BSD-2-Clause */
/* Residual correction: filters what the passes have removed, and adds what is left of it. */
#ifndef COF_RESIDUAL_H
#define COF_RESIDUAL_H

#include "filter/filter.h"

/* All rounds of an open filter that has run its passes, with the labels and the model of the last
 * one. */
CofStatus cofi_filter_residuals(CofiFilter *filter, const CofModel *model);

#endif
