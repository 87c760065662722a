/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the options that select a part of the image, and what is done with it. */
#ifndef COF_ARGUMENTS_SELECTION_H
#define COF_ARGUMENTS_SELECTION_H

#include "options/arguments.h"

/* Whether scribbles or strokes mark the object, or the background. */
bool arguments_mark_object(const Arguments *arguments);
bool arguments_mark_background(const Arguments *arguments);

/* Prints an error of one line and returns false if they are incomplete or exclude each other. */
bool arguments_check_selection(const Arguments *arguments);

#endif
