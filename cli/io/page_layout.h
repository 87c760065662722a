/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of an image file, and which of them the user wants. */
#ifndef COF_PAGE_LAYOUT_H
#define COF_PAGE_LAYOUT_H

#include <vips/vips.h>

#include "io/page_range.h"
#include "io/tiff_header.h"

typedef struct PageLayout {
    int n;         /* pages; overviews, thumbnails and masks do not count */
    bool mixed;    /* pages differ in size, or do not follow each other: choose one */
    int *position; /* of each page in the file; NULL: page i is at i */
} PageLayout;

/* Pages of a TIFF file: no overviews and no masks. A page that is smaller than the first one, and
 * has the same shape, is taken for an overview too. */
PageLayout page_layout_of_tiff(const TiffHeader *header);

/* Pages of a file with n pages, of which the first two were opened. */
PageLayout page_layout_of_images(const VipsImage *first, const VipsImage *second, int n);

void page_layout_free(PageLayout *layout);

/* Finds where the pages of a range begin in the file, and their number; `range` NULL: the file must
 * have one page. Returns false with libvips' error set if that is not possible. */
bool page_layout_find(const PageLayout *layout, const PageRange *range, int *position, int *n);

/* Pages of an image that libvips loaded: they lie below each other. */
int page_count(VipsImage *image);

#endif
