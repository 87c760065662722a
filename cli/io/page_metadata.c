/* SPDX-License-Identifier: BSD-2-Clause */
/* Metadata that describe the pages of a file: kept while they are true, else removed. */
#include "io/page_metadata.h"

#include <string.h>

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
