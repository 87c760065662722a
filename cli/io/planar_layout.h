/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of an interleaved TIFF that has the pixels and the tags of a planar one.
 *
 * The interleaved file is never written. It consists of a BigTIFF header, the planar file, new
 * directories and the pixels, uncompressed, in strips or tiles of the same size. */
#ifndef COF_PLANAR_LAYOUT_H
#define COF_PLANAR_LAYOUT_H

#include <glib.h>

#include "io/tiff_header.h"

/* The bytes before the copy of the planar file. */
#define PLANAR_HEADER_SIZE 16

/* A page of the planar file. A chunk is a strip or a tile. */
typedef struct PlanarPage {
    const TiffPage *tags;
    int bands;  /* 0: this page is interleaved already */
    int sample; /* bytes of a sample */
    bool tiled;
    bool compressed;
    uint64_t height, chunk_width, chunk_height;
    uint64_t chunks; /* in each plane */
    uint64_t at;     /* position of the pixels in the interleaved file */
} PlanarPage;

typedef struct PlanarLayout {
    TiffHeader header;
    PlanarPage *pages;
    uint8_t start[PLANAR_HEADER_SIZE];
    GByteArray *directories;
    uint64_t directories_at;
    uint64_t pixels_at, size;
} PlanarLayout;

/* Whether a page has more than one band and is planar. */
bool page_is_planar(const TiffHeader *header, const TiffPage *page);

/* Takes the header over, in all cases. Returns false with libvips' error set if a page cannot be
 * interleaved. */
bool planar_layout_new(PlanarLayout *layout, TiffHeader *header);
void planar_layout_free(PlanarLayout *layout);

/* Rows of a chunk, which are fewer in the last strip, and bytes of a row of all bands. */
uint64_t planar_chunk_rows(const PlanarPage *page, uint64_t chunk);
uint64_t planar_row_size(const PlanarPage *page);

#endif
