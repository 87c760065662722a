/* SPDX-License-Identifier: BSD-2-Clause */
/* Marker-controlled watershed. */
#ifndef COF_FLOOD_H
#define COF_FLOOD_H

#include <stdint.h>

#include "call/call.h"

/* Levels are 0..COFI_FLOOD_LEVELS - 1. */
#define COFI_FLOOD_LEVELS 4096

/* Gives each pixel whose label is 0 the label of the marker that reaches it first, when water rises
 * from all pixels with other labels: a path costs its highest level. Where two arrive at the same
 * level, the shorter path wins. Pixels have four neighbours. */
CofStatus cofi_flood(CofiCall *call, const uint16_t *levels, int width, int height,
                     uint8_t *labels);

#endif
