/* SPDX-License-Identifier: BSD-2-Clause */
/* Mattes: the fraction of each pixel that is foreground. */
#ifndef COF_MATTING_H
#define COF_MATTING_H

#include "options/arguments.h"
#include "select/loaded_image.h"

/* Each of these prints an error and returns NULL or false on failure. Mattes have one band of
 * floats, 0..1, in memory, and are unref'd by the caller. */

/* A matte of zeros, as large as the image. */
VipsImage *matting_new(const LoadedImage *source, const char *name);

/* The prior probability of the foreground: see cof_mask_prior(). */
VipsImage *matting_prior(VipsImage *mask, const CofOptions *options, const char *name);

/* Saves a matte with 8 bits. */
bool matting_save(VipsImage *matte, const char *name);

/* Checks that the input of focus or recolour exists and that every output can be written. */
bool matting_check_files(const Arguments *arguments);

#endif
