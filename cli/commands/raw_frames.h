/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames without a header, through pipes. */
#ifndef COF_RAW_FRAMES_H
#define COF_RAW_FRAMES_H

#include "options/arguments.h"

/* Is that WIDTHxHEIGHT:FORMAT? Complains if not. */
bool raw_frames_check(const char *text);

/* Filters frame after frame, from standard input to standard output. */
bool raw_frames_filter(const Arguments *arguments);

#endif
