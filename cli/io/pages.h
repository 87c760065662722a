/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of an image file, which of them the user wants, and metadata that describe them. */
#ifndef COF_PAGES_H
#define COF_PAGES_H

#include <stdbool.h>
#include <vips/vips.h>

/* More pages are not filtered in one run. */
#define MAX_PAGES 10000

/* Pages of a file, counted from 1. All 0: all pages. */
typedef struct PageRange {
    int first, last;
    bool or_single; /* take a file of one page as it is */
} PageRange;

typedef struct PageLayout {
    int n;         /* pages; overviews, thumbnails and masks do not count */
    bool mixed;    /* pages differ in size, or do not follow each other: choose one */
    int *position; /* of each page in the file; NULL: page i is at i */
} PageLayout;

void page_layout_free(PageLayout *layout);

/* Whether an image is a smaller copy of another one: smaller, with the same shape. */
bool is_overview(double width, double height, double full_width, double full_height);

/* Finds where the pages of a range begin in the file, and their number; `range` NULL: the file must
 * have one page. Returns false with libvips' error set if that is not possible. */
bool page_layout_find(const PageLayout *layout, const PageRange *range, int *position, int *n);

/* Pages of an image that libvips loaded: they lie below each other. */
int page_count(VipsImage *image);

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
