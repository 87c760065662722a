/* SPDX-License-Identifier: BSD-2-Clause */
/* How a label of a model looks. */
#ifndef COF_PALETTE_COLOUR_H
#define COF_PALETTE_COLOUR_H

#include "cof/cof.h"

/* sRGB. Grey and bands are spread over what the palette has of them. */
void palette_colour(const CofModel *model, int label, unsigned char rgb[3]);

#endif
