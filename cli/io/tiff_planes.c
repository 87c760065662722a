/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes compressed strips and tiles of a TIFF file with libtiff. */
#include "io/tiff_planes.h"

#include <glib.h>
#include <stdio.h>
#include <vips/vips.h>

#ifdef COF_HAS_LIBTIFF
#include <tiffio.h>

struct TiffPlanes {
    const FileBytes *file;
    uint64_t position;
    TIFF *tiff;
    uint64_t page; /* position of the directory that was read; 0: none */
};

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t size)
{
    TiffPlanes *planes = handle;
    uint64_t all = planes->file->size, at = MIN(planes->position, all);
    size_t n = (size_t)MIN((uint64_t)size, all - at);
    if (!file_bytes_read(planes->file, at, to, n))
        return 0; /* libtiff 4.5 would use -1 as a number of bytes */
    planes->position = at + n;
    return (tmsize_t)n;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t size)
{
    (void)handle, (void)from, (void)size;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    TiffPlanes *planes = handle;
    uint64_t from = whence == SEEK_SET   ? 0
                    : whence == SEEK_CUR ? planes->position
                                         : planes->file->size;
    return planes->position = from + offset;
}

static int close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t file_size(thandle_t handle)
{
    return ((TiffPlanes *)handle)->file->size;
}

bool tiff_planes_available(void)
{
    return true;
}

TiffPlanes *tiff_planes_new(const FileBytes *file)
{
    TiffPlanes *planes = g_new0(TiffPlanes, 1);
    planes->file = file;
    planes->tiff = TIFFClientOpen("planar TIFF", "rm", planes, read_bytes, write_bytes, seek,
                                  close_nothing, file_size, NULL, NULL);
    if (planes->tiff)
        return planes;
    g_free(planes);
    vips_error("cof", "%s", "cannot be decoded");
    return NULL;
}

void tiff_planes_free(TiffPlanes *planes)
{
    if (planes)
        TIFFClose(planes->tiff);
    g_free(planes);
}

/* libtiff returns samples in the byte order of this machine. */
static void restore_order(TIFF *tiff, int sample, void *samples, size_t size)
{
    tmsize_t n = (tmsize_t)size / sample;
    if (!TIFFIsByteSwapped(tiff))
        return;
    if (sample == 2)
        TIFFSwabArrayOfShort(samples, n);
    else if (sample == 4)
        TIFFSwabArrayOfLong(samples, n);
    else if (sample == 8)
        TIFFSwabArrayOfLong8(samples, n);
}

bool tiff_planes_read(TiffPlanes *planes, const TiffPage *page, bool tiled, uint64_t chunk,
                      int sample, void *to, size_t size)
{
    TIFF *tiff = planes->tiff;
    bool ok = planes->page == page->at || TIFFSetSubDirectory(tiff, page->at);
    planes->page = ok ? page->at : 0;
    ok = ok && chunk <= UINT32_MAX;
    if (ok) {
        tmsize_t got = tiled ? TIFFReadEncodedTile(tiff, (uint32_t)chunk, to, (tmsize_t)size)
                             : TIFFReadEncodedStrip(tiff, (uint32_t)chunk, to, (tmsize_t)size);
        ok = got == (tmsize_t)size;
    }
    if (ok)
        restore_order(tiff, sample, to, size);
    else
        vips_error("cof", "%s", "a strip or tile cannot be decoded");
    return ok;
}

#else

bool tiff_planes_available(void)
{
    return false;
}

TiffPlanes *tiff_planes_new(const FileBytes *file)
{
    (void)file;
    vips_error("cof", "%s", "libtiff is missing");
    return NULL;
}

void tiff_planes_free(TiffPlanes *planes)
{
    (void)planes;
}

bool tiff_planes_read(TiffPlanes *planes, const TiffPage *page, bool tiled, uint64_t chunk,
                      int sample, void *to, size_t size)
{
    (void)planes, (void)page, (void)tiled, (void)chunk, (void)sample, (void)to, (void)size;
    return false;
}

#endif
