/* SPDX-License-Identifier: BSD-2-Clause */
/* The colour of a label. */
#ifndef COF_PALETTE_COLOUR_H
#define COF_PALETTE_COLOUR_H

#include "cof/cof.h"

/* The colour of a label in sRGB. Grey levels and bands are scaled to the range of the palette. */
void palette_colour(const CofModel *model, int label, unsigned char rgb[3]);

#endif
