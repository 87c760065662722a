/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours as text: hexadecimal, or the CSS names. */
#ifndef COF_COLOUR_NAMES_H
#define COF_COLOUR_NAMES_H

#include <stdbool.h>

/* Parses "#RRGGBB", "#RGB" or a name such as "steelblue" as sRGB, 0..1. The # may be missing, as it
 * starts a comment in shells. Returns false if the text is malformed. */
bool parse_colour(const char *text, double colour[3]);

#endif
