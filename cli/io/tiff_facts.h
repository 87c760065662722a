/* SPDX-License-Identifier: BSD-2-Clause */
/* What a TIFF file says of its pages, its place on Earth and its encoding: read with libtiff,
 * because libvips does not tell it. */
#ifndef COF_TIFF_FACTS_H
#define COF_TIFF_FACTS_H

#include "io/encoding.h"
#include "io/pages.h"

typedef struct TiffFacts {
    PageLayout layout; /* no overviews and no masks. A page that is smaller than the first one, and
                        * has the same shape, is taken for an overview, too */
    int directories;
    bool lacks_pages; /* the chain of directories is damaged */
    int described;    /* images that a description by ImageJ states */

    const char *needs_gdal; /* what libvips would read wrong of any page, in words; NULL: nothing */
    Encoding encoding;      /* of the first page; `fault`: of any */

    /* Facts of the chosen page. */
    bool is_located; /* a position: by a transformation, points or coefficients */
    bool is_named;   /* metadata of GDAL, such as the names of bands */
    bool has_nodata;
    double nodata;
    bool has_many_bands;                 /* more than 4, or than CMYK has */
    const char *not_read, *lost_by_gdal; /* what libvips and GDAL drop, in words; NULL: nothing */
    bool is_premultiplied;               /* colours are multiplied by alpha */
    bool has_unnamed_sample; /* the file does not say that the sample behind the colours is alpha */
    int orientation;
    bool has_no_unit; /* of density, which libvips takes for one per mm and writes per cm */
} TiffFacts;

/* Reads the directories, and the facts of a page, counted from 1 (0: the first one). Returns false
 * if the file is no TIFF, or its directories are damaged. What was read is to be freed with
 * page_layout_free(&facts->layout). */
bool tiff_facts_read(const char *path, int page, TiffFacts *facts);

#endif
