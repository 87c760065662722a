/* SPDX-License-Identifier: BSD-2-Clause */
/* Metadata that describe the pages of a file: kept while they are true, else removed. */
#ifndef COF_PAGE_METADATA_H
#define COF_PAGE_METADATA_H

#include <stdbool.h>
#include <vips/vips.h>

/* Number of images that a description in ImageJ's format claims; 0: it is not one. */
int described_images(const char *description);

/* Removes a description of the layout of the file, as ImageJ, OME and tifffile write it. Other
 * descriptions stay. The image must not be shared. */
void remove_layout_description(VipsImage *image);

/* Corrects the metadata of an image of `n` pages, of the `all` pages of a file, that begin at page
 * `first`, counted from 0. The image must not be shared. */
void select_page_metadata(VipsImage *image, int first, int n, int all);

/* Removes what says that an image has pages. */
void remove_page_metadata(VipsImage *image);

#endif
