/* SPDX-License-Identifier: BSD-2-Clause */
/* Tags of a TIFF file that GDAL and its like understand, and libvips does not. */
#include "io/geo_tags.h"

#include <glib.h>

static void read_nodata(GeoTags *tags, const TiffHeader *header)
{
    char *text = tiff_text(header, &header->pages[0], TIFF_GDAL_NODATA), *end;
    if (!text)
        return;
    tags->nodata = g_ascii_strtod(g_strstrip(text), &end);
    tags->has_nodata = end != text && *end == '\0';
    g_free(text);
}

GeoTags geo_tags_read(const TiffHeader *header)
{
    static const int positions[] = {TIFF_GEO_PIXEL_SCALE, TIFF_GEO_TIE_POINTS,
                                    TIFF_GEO_TRANSFORMATION, TIFF_GEO_KEYS, TIFF_RPC};
    const TiffPage *page = &header->pages[0];
    GeoTags tags = {.is_named = tiff_entry(page, TIFF_GDAL_METADATA) != NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(positions); i++)
        tags.is_located |= tiff_entry(page, positions[i]) != NULL;
    read_nodata(&tags, header);
    return tags;
}
