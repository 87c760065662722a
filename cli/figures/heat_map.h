/* SPDX-License-Identifier: BSD-2-Clause */
/* M as a picture. */
#ifndef COF_HEAT_MAP_H
#define COF_HEAT_MAP_H

#include "cof/cof.h"
#include "figures/svg.h"

/* The side of what heat_map_draw() draws, with palette and scale. */
#define HEAT_MAP_WIDTH 560
#define HEAT_MAP_HEIGHT 500

/* Draws M at (x, y), its palette along both axes, with a scale. False with libvips' error set. */
bool heat_map_draw(Drawing *drawing, const CofModel *model, double x, double y);

#endif
