/* SPDX-License-Identifier: BSD-2-Clause */
/* A heat map of M. */
#ifndef COF_HEAT_MAP_H
#define COF_HEAT_MAP_H

#include "cof/cof.h"
#include "figures/svg.h"

/* The size of a heat map, including its palette and scale. */
#define HEAT_MAP_WIDTH 560
#define HEAT_MAP_HEIGHT 500

/* Draws M at (x, y), with the palette along both axes and a scale. Returns false with libvips'
 * error set on failure. */
bool heat_map_draw(Svg *svg, const CofModel *model, double x, double y);

#endif
