/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw frames, filtered from standard input to standard output. */
#ifndef COF_RAW_FRAMES_H
#define COF_RAW_FRAMES_H

#include "options/arguments.h"

/* Filters all frames. Prints an error and returns false on failure. */
bool raw_frames_filter(const Arguments *arguments);

#endif
