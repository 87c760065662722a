/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the libvips operations of cof, with the options of the command line. */
#ifndef COF_VIPS_CALL_H
#define COF_VIPS_CALL_H

#include <vips/vips.h>

#include "options/arguments.h"

/* The images that options name. */
typedef struct OptionImages {
    VipsImage *mask, *labels, *guide, *matrix, *apply_mask;
    VipsArrayImage *learn_from;
    const char **learn_from_names; /* the file of each image; NULL: none */
} OptionImages;

/* Opens the images. Prints an error on failure, or if an image differs in size from the input.
 * `name` is that of the input, whose pages --learn-pages names. An image of several pages has as
 * many as the input. */
bool option_images_open(OptionImages *images, const Arguments *arguments, VipsImage *input,
                        const char *name);
void option_images_close(OptionImages *images);

/* Prints an error that names one of the images of which a part could not be decoded. Returns false
 * if there is none. */
bool option_images_print_failure(const OptionImages *images);

/* The first image to learn from. */
VipsImage *learning_image(const OptionImages *images, VipsImage *input);

/* Reads a model or statistics, for call_smooth(); unref'd by the caller. Prints an error and
 * returns NULL on failure. */
VipsBlob *read_model_blob(const char *name);

/* Each of these returns false with libvips' error set on failure. */

/* Calls "cof". If `model` is NULL, a model is learned. *out is unref'd by the caller. */
bool call_smooth(const Arguments *arguments, const OptionImages *images, VipsBlob *model,
                 VipsImage *in, VipsImage **out);

/* Calls "cof_learn". *learned is a saved model or statistics, unref'd by the caller. */
bool call_learn(const Arguments *arguments, const OptionImages *images, VipsArrayImage *inputs,
                VipsBlob **learned);

/* Calls "cof_label" and gives each label its colour in the palette. */
bool paint_labels(const CofModel *model, VipsImage *image, VipsImage **painted);

#endif
