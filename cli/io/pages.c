/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of an image file, which of them the user wants, and metadata that describe them. */
#include "io/pages.h"

#include <string.h>

bool is_overview(double width, double height, double full_width, double full_height)
{
    bool smaller = width < full_width && height < full_height;
    double difference = width * full_height - height * full_width;
    return smaller && difference <= full_width + full_height &&
           difference >= -(full_width + full_height); /* sizes are rounded */
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
    if (found.last - found.first >= MAX_PAGES) {
        vips_error("cof", "has %d pages, more than the limit of %d; choose some with --pages",
                   layout->n, MAX_PAGES);
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

int described_images(const char *description)
{
    if (!g_str_has_prefix(description, "ImageJ="))
        return 0;
    const char *images = strstr(description, "\nimages=");
    gint64 n = images ? g_ascii_strtoll(images + strlen("\nimages="), NULL, 10) : 1;
    return (int)CLAMP(n, 0, G_MAXINT);
}

static bool describes_layout(const char *text)
{
    bool is_shaped =
        g_str_has_prefix(text, "shape=(") || (*text == '{' && strstr(text, "\"shape\":"));
    return is_shaped || g_str_has_prefix(text, "ImageJ=") || strstr(text, "<OME") ||
           strstr(text, "<ome:OME");
}

void remove_layout_description(VipsImage *image)
{
    const char *text;
    if (vips_image_get_typeof(image, VIPS_META_IMAGEDESCRIPTION) == VIPS_TYPE_REF_STRING &&
        vips_image_get_string(image, VIPS_META_IMAGEDESCRIPTION, &text) == 0 &&
        describes_layout(text))
        vips_image_remove(image, VIPS_META_IMAGEDESCRIPTION);
}

/* Keeps the delays of the pages that were selected. */
static void select_delays(VipsImage *image, int first, int n)
{
    int *delays, count;
    if (vips_image_get_typeof(image, "delay") == 0 ||
        vips_image_get_array_int(image, "delay", &delays, &count) != 0 || first + n > count)
        return;
    int *copy = g_memdup2(delays + first, (gsize)n * sizeof *copy);
    vips_image_set_array_int(image, "delay", copy, n);
    g_free(copy);
}

void remove_page_metadata(VipsImage *image)
{
    static const char *const names[] = {
        VIPS_META_PAGE_HEIGHT, VIPS_META_N_PAGES, "delay", "gif-delay", "loop", "gif-loop"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        vips_image_remove(image, names[i]);
}

void select_page_metadata(VipsImage *image, int first, int n, int all)
{
    if (n == all)
        return;
    remove_layout_description(image);
    select_delays(image, first, n);
    vips_image_set_int(image, VIPS_META_N_PAGES, n);
    if (n == 1)
        remove_page_metadata(image);
}
