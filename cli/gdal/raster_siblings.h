/* SPDX-License-Identifier: BSD-2-Clause */
/* Files beside a raster that GDAL opens along with it. */
#ifndef COF_RASTER_SIBLINGS_H
#define COF_RASTER_SIBLINGS_H

#include <gdal.h>
#include <stdbool.h>

/* GDAL opens masks (NAME.msk) and overviews (NAME.ovr) with all of its formats, and some of them
 * read any file or address that a file names. Returns false with GDAL's error set if such a file is
 * not the TIFF file that it should be. To be called before GDAL is asked for masks or overviews. */
bool siblings_check(const char *name);

/* Whether metadata, which a TIFF file has inside, sends GDAL to another file or an address for the
 * overviews. Sets GDAL's error if so. */
bool siblings_named_by(GDALDatasetH dataset);

/* Whether an .aux file lies beside the raster: ERDAS Imagine's, which can name other files for the
 * overviews. */
bool siblings_have_aux(const char *name);

#endif
