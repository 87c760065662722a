/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders among the inputs, which stand for their images. */
#ifndef COF_ARGUMENTS_FOLDERS_H
#define COF_ARGUMENTS_FOLDERS_H

#include "io/folder_walk.h"
#include "options/arguments.h"

/* Whether an input of filter or learn is a folder. */
bool arguments_have_folder(const Arguments *arguments);

/* Replaces folders by the images that they contain; libvips must have been started. Prints an error
 * and returns false if no input is left. arguments_folders_failed() tells whether some folders gave
 * no images; an error was printed for each. is_other_image NULL: only images that libvips reads. */
bool arguments_expand_folders(Arguments *arguments, IsOtherImage *is_other_image);
bool arguments_folders_failed(const Arguments *arguments);

void arguments_folders_free(Arguments *arguments);

#endif
