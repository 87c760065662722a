/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's options, as the command line sets them. */
#ifndef COF_ARGUMENTS_OPTIONS_H
#define COF_ARGUMENTS_OPTIONS_H

#include "options/arguments.h"

/* The options for an image of this size: those of the preset, which options that were set on the
 * command line override. */
CofOptions arguments_options(const Arguments *arguments, int width, int height);

/* The options that were set on the command line, over the defaults; a preset is ignored. */
CofOptions arguments_options_without_preset(const Arguments *arguments);

/* Is an image of some size downscaled, for learning or for filtering? */
bool arguments_may_downscale(const Arguments *arguments);

/* The name of the option that causes downscaling, without hyphens. */
const char *arguments_downscale_option(const Arguments *arguments);

/* Is focus called with options of smoothing that cof_focus_mask() does not support? Then a matte
 * separates the object from the smoothed image. */
bool arguments_smooth_by_matte(const Arguments *arguments);

/* Is the output the input, sample by sample? With --strength 0, unless what is asked for besides
 * the image needs the filter. */
bool arguments_keep_samples(const Arguments *arguments);

/* The text that was given for an option of the library; NULL: none. */
const char *arguments_value(const Arguments *arguments, const char *name);

/* Sets an option of the library to a valid value. */
void arguments_set(Arguments *arguments, const char *name, const char *value);

#endif
