/* SPDX-License-Identifier: BSD-2-Clause */
/* The options for an image of a known size. */
#ifndef COF_ARGUMENTS_PRESET_H
#define COF_ARGUMENTS_PRESET_H

#include "options/arguments.h"

/* The options of the command line, with those that the look sets for an image of this size. */
CofOptions arguments_options(const Arguments *arguments, int width, int height);

/* Whether images may be downscaled: with a look, that depends on their size. */
bool arguments_may_downscale(const Arguments *arguments);

#endif
