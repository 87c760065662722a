/* SPDX-License-Identifier: BSD-2-Clause */
/* Tags of a TIFF file that GDAL and its like understand, and libvips does not. */
#ifndef COF_GEO_TAGS_H
#define COF_GEO_TAGS_H

#include "io/tiff_header.h"

typedef struct GeoTags {
    bool is_located; /* a position: by a transformation, points or coefficients */
    bool is_named;   /* metadata of GDAL, such as the names of bands */
    bool has_nodata;
    double nodata;
} GeoTags;

GeoTags geo_tags_read(const TiffHeader *header);

#endif
