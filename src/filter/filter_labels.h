/* SPDX-License-Identifier: BSD-2-Clause */
/* The labels that select the weights of the filter. */
#ifndef COF_FILTER_LABELS_H
#define COF_FILTER_LABELS_H

#include "filter/filter.h"
#include "learn/palette.h"

/* Labels of the job's guide, or of its input, with the palettes of all members. */
CofStatus cofi_filter_label(CofiFilter *filter, const CofiPalette *const *palettes);

/* Labels that the guide holds; COF_ERR_MISMATCH if one is not below k. */
CofStatus cofi_filter_label_given(CofiFilter *filter, int k);

/* Copies the labels of the job's part, which all members of the model have labelled. */
CofStatus cofi_filter_label_known(CofiFilter *filter);

/* Labels of the values that the passes so far have left. */
CofStatus cofi_filter_relabel(CofiFilter *filter, const CofiPalette *palette);

#endif
