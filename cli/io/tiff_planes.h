/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes compressed strips and tiles of a TIFF file with libtiff. */
#ifndef COF_TIFF_PLANES_H
#define COF_TIFF_PLANES_H

#include "io/tiff_header.h"

typedef struct TiffPlanes TiffPlanes;

/* Whether this build has libtiff. */
bool tiff_planes_available(void);

/* Opens the file of the caller. Returns NULL with libvips' error set on failure. */
TiffPlanes *tiff_planes_new(const FileBytes *file);
void tiff_planes_free(TiffPlanes *planes);

/* Decodes a strip or a tile of the page at a position to samples in the byte order of the file.
 * `sample` is the size of a sample in bytes. Returns false with libvips' error set on failure. */
bool tiff_planes_read(TiffPlanes *planes, const TiffPage *page, bool tiled, uint64_t chunk,
                      int sample, void *to, size_t size);

#endif
