/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes about options that had no effect. They are no errors, because the images of a batch may
 * differ: one option is for grey images, another for colour images. */
#ifndef COF_OPTION_NOTES_H
#define COF_OPTION_NOTES_H

#include <vips/vips.h>

#include "options/arguments.h"

/* Remembers the kind of an image that is processed; can be called by any thread. */
void option_notes_see(const Arguments *arguments, const VipsImage *image);

/* Prints a line for each option of the command line that had no effect on any image. */
void option_notes_print(const Arguments *arguments);

#endif
