/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of an image file, and which of them the user wants. */
#include "io/page_layout.h"

#include <stdlib.h>
#include <string.h>

/* Values of SubfileType. */
enum { REDUCED = 1, MASK = 4, OLD_REDUCED = 2 };

static bool is_overview(double width, double height, double full_width, double full_height)
{
    bool smaller = width < full_width && height < full_height;
    double difference = width * full_height - height * full_width;
    return smaller && difference <= full_width + full_height &&
           difference >= -(full_width + full_height); /* sizes are rounded */
}

static bool is_page(const TiffHeader *header, const TiffPage *page)
{
    return (tiff_number(header, page, TIFF_SUBFILE_TYPE, 0, 0) & (REDUCED | MASK)) == 0 &&
           tiff_number(header, page, TIFF_OLD_SUBFILE_TYPE, 0, 0) != OLD_REDUCED;
}

/* Compares the size of each page with that of the first one. */
static void compare_sizes(const TiffHeader *header, PageLayout *layout)
{
    bool overviews = true;
    double width = 0, height = 0;
    for (int i = 0; i < layout->n; i++) {
        const TiffPage *page = &header->pages[layout->position[i]];
        double w = (double)tiff_number(header, page, TIFF_WIDTH, 0, 0);
        double h = (double)tiff_number(header, page, TIFF_HEIGHT, 0, 0);
        if (i == 0) {
            width = w;
            height = h;
            continue;
        }
        layout->mixed |=
            w != width || h != height || layout->position[i] != layout->position[i - 1] + 1;
        overviews &= is_overview(w, h, width, height);
    }
    if (layout->n > 1 && overviews) {
        layout->n = 1;
        layout->mixed = false;
    }
}

PageLayout page_layout_of_tiff(const TiffHeader *header)
{
    PageLayout layout = {.position = g_new(int, (gsize)header->n)};
    for (int i = 0; i < header->n; i++)
        if (is_page(header, &header->pages[i]))
            layout.position[layout.n++] = i;
    if (layout.n == 0)
        layout.position[layout.n++] = 0;
    compare_sizes(header, &layout);
    return layout;
}

PageLayout page_layout_of_images(const VipsImage *first, const VipsImage *second, int n)
{
    PageLayout layout = {.n = n};
    layout.mixed = first->Xsize != second->Xsize || first->Ysize != second->Ysize;
    if (is_overview(second->Xsize, second->Ysize, first->Xsize, first->Ysize))
        layout = (PageLayout){.n = 1};
    return layout;
}

void page_layout_free(PageLayout *layout)
{
    g_free(layout->position);
    layout->position = NULL;
}

bool page_layout_find(const PageLayout *layout, const PageRange *range, int *position, int *n)
{
    PageRange all = {.first = 1, .last = layout->n};
    bool is_given = range && range->first > 0 && !(range->or_single && layout->n == 1);
    PageRange found = is_given ? *range : all;
    if (found.last > layout->n) {
        vips_error("cof", "has %d page%s; there is no page %d", layout->n,
                   layout->n == 1 ? "" : "s", found.last);
        return false;
    }
    if (!range && layout->n > 1) {
        vips_error("cof", "has %d pages; name one, such as [page=0] after the file name",
                   layout->n);
        return false;
    }
    if (layout->mixed && found.last > found.first) {
        vips_error("cof", "has %d pages of different sizes; choose one with --pages N", layout->n);
        return false;
    }
    *position = layout->position ? layout->position[found.first - 1] : found.first - 1;
    *n = found.last - found.first + 1;
    return true;
}

int page_count(VipsImage *image)
{
    return image->Ysize / vips_image_get_page_height(image);
}
