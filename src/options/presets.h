/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings like those of presets, for use inside the library. */
#ifndef COF_OPTIONS_PRESETS_H
#define COF_OPTIONS_PRESETS_H

#include "cof/cof.h"

/* The filters whose gradients selections add to that of the image: a weak and a strong one. */
#define COFI_SELECTION_FILTERS 2

/* Sets the options of one of these filters, for an image of this size, which must be above 0. */
void cofi_options_set_selection_filter(CofOptions *options, int filter, int width, int height);

#endif
