/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of an image, which libvips loads below each other, as images of their own. */
#ifndef COF_PAGE_IMAGES_H
#define COF_PAGE_IMAGES_H

#include <stdbool.h>
#include <vips/vips.h>

/* Page i, counted from 0, as an image of one page; the image itself if it has one page. Unref'd by
 * the caller. Returns NULL with libvips' error set on failure. */
VipsImage *page_image(VipsImage *image, int i);

/* Appends each page to a list that unrefs them. Returns false with libvips' error set on failure.
 */
bool page_images_append(GPtrArray *list, VipsImage *image);

/* An array for libvips of the images of a list. */
VipsArrayImage *page_images_array(const GPtrArray *list);

#endif
