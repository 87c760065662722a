/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads planar TIFF files: a source for libvips with the contents of an interleaved file. */
#include "io/planar_tiff.h"

#include <stdio.h>
#include <string.h>

#include "io/planar_layout.h"
#include "io/tiff_planes.h"

/* Bytes of uncompressed rows that are interleaved at a time. */
#define BLOCK_SIZE ((uint64_t)1 << 20)

typedef struct PlanarTiff {
    FileBytes file;
    PlanarLayout layout;
    TiffPlanes *planes; /* NULL: not needed so far */
    uint64_t position;
    GMutex lock;

    /* The rows of a chunk that were interleaved last. */
    uint8_t *block, *plane;
    uint64_t block_at, block_size; /* in the interleaved file; size 0: none */
} PlanarTiff;

static void free_planar(void *data)
{
    PlanarTiff *planar = data;
    tiff_planes_free(planar->planes);
    planar_layout_free(&planar->layout);
    file_bytes_close(&planar->file);
    g_free(planar->block);
    g_free(planar->plane);
    g_mutex_clear(&planar->lock);
    g_free(planar);
}

/* Some rows of a chunk of a page. */
typedef struct Rows {
    const PlanarPage *page;
    uint64_t chunk, first, n;
} Rows;

/* Reads the rows of an uncompressed plane. */
static bool read_rows(const PlanarTiff *planar, const Rows *rows, uint64_t chunk, size_t size)
{
    const PlanarPage *page = rows->page;
    const TiffHeader *header = &planar->layout.header;
    uint64_t at =
        tiff_number(header, page->tags, page->tiled ? TIFF_TILE_OFFSETS : TIFF_STRIP_OFFSETS, chunk,
                    UINT64_MAX);
    uint64_t bytes = tiff_number(header, page->tags,
                                 page->tiled ? TIFF_TILE_BYTE_COUNTS : TIFF_STRIP_BYTE_COUNTS,
                                 chunk, UINT64_MAX);
    uint64_t skipped = rows->first * page->chunk_width * (uint64_t)page->sample;
    if (at != 0 && at < planar->file.size && skipped + size <= bytes &&
        file_bytes_read(&planar->file, at + skipped, planar->plane, size))
        return true;
    vips_error("cof", "%s", "a strip or tile is missing or cut off");
    return false;
}

static bool read_plane(PlanarTiff *planar, const Rows *rows, int band, size_t size)
{
    const PlanarPage *page = rows->page;
    uint64_t chunk = (uint64_t)band * page->chunks + rows->chunk;
    if (!page->compressed)
        return read_rows(planar, rows, chunk, size);
    if (!planar->planes)
        planar->planes = tiff_planes_new(&planar->file);
    return planar->planes && tiff_planes_read(planar->planes, page->tags, page->tiled, chunk,
                                              page->sample, planar->plane, size);
}

/* Copies samples of a plane to every `step` bytes. */
static void spread(const uint8_t *from, size_t n, int sample, size_t step, uint8_t *to)
{
    switch (sample) {
    case 1:
        for (size_t i = 0; i < n; i++)
            to[i * step] = from[i];
        break;
    case 2:
        for (size_t i = 0; i < n; i++)
            memcpy(to + i * step, from + 2 * i, 2);
        break;
    case 4:
        for (size_t i = 0; i < n; i++)
            memcpy(to + i * step, from + 4 * i, 4);
        break;
    default:
        for (size_t i = 0; i < n; i++)
            memcpy(to + i * step, from + 8 * i, 8);
        break;
    }
}

/* Reads rows of all planes and interleaves them in the block. */
static bool interleave(PlanarTiff *planar, const Rows *rows)
{
    const PlanarPage *page = rows->page;
    size_t n = (size_t)(rows->n * page->chunk_width), sample = (size_t)page->sample;
    size_t bands = (size_t)page->bands;
    g_free(planar->block);
    g_free(planar->plane);
    planar->block_size = 0;
    planar->block = g_try_malloc(n * sample * bands);
    planar->plane = g_try_malloc(n * sample);
    if (!planar->block || !planar->plane) {
        vips_error("cof", "%s", "not enough memory");
        return false;
    }
    for (int band = 0; band < page->bands; band++) {
        if (!read_plane(planar, rows, band, n * sample))
            return false;
        spread(planar->plane, n, page->sample, sample * bands,
               planar->block + (size_t)band * sample);
    }
    planar->block_size = n * sample * bands;
    return true;
}

/* Interleaves the rows at a position. */
static bool load_block(PlanarTiff *planar, uint64_t at)
{
    const PlanarLayout *layout = &planar->layout;
    int i = layout->header.n - 1;
    while (i > 0 && (layout->pages[i].bands == 0 || layout->pages[i].at > at))
        i--;
    const PlanarPage *page = &layout->pages[i];
    uint64_t row = planar_row_size(page), chunk_size = row * page->chunk_height;
    Rows rows = {.page = page, .chunk = (at - page->at) / chunk_size};
    uint64_t all = planar_chunk_rows(page, rows.chunk);
    uint64_t chunk_at = page->at + rows.chunk * chunk_size;
    uint64_t step = page->compressed || page->tiled ? all : MAX(1, BLOCK_SIZE / row);
    rows.first = (at - chunk_at) / row / step * step;
    if (rows.first >= all) /* behind the last strip */
        return false;
    rows.n = MIN(step, all - rows.first);
    planar->block_at = chunk_at + rows.first * row;
    return interleave(planar, &rows);
}

/* Copies what is at the position, up to the end of the part of the file. Returns the number of
 * bytes. A failure looks like the end of the file, which is an error to libtiff: version 4.5 writes
 * before its buffer if reading returns -1. */
static gint64 read_some(PlanarTiff *planar, uint8_t *to, uint64_t size)
{
    const PlanarLayout *layout = &planar->layout;
    uint64_t at = planar->position, original = PLANAR_HEADER_SIZE + planar->file.size;
    if (at < PLANAR_HEADER_SIZE) {
        size = MIN(size, PLANAR_HEADER_SIZE - at);
        memcpy(to, layout->start + at, size);
    } else if (at < original) {
        size = MIN(size, original - at);
        if (!file_bytes_read(&planar->file, at - PLANAR_HEADER_SIZE, to, size))
            return 0;
    } else if (at < layout->pixels_at) {
        uint64_t from = layout->directories_at, end = from + layout->directories->len;
        size = MIN(size, (at < from ? from : at < end ? end : layout->pixels_at) - at);
        if (at >= from && at < end)
            memcpy(to, layout->directories->data + (at - from), size);
        else
            memset(to, 0, size);
    } else {
        bool is_loaded = at >= planar->block_at && at - planar->block_at < planar->block_size;
        if (!is_loaded && !load_block(planar, at))
            return 0;
        size = MIN(size, planar->block_at + planar->block_size - at);
        memcpy(to, planar->block + (at - planar->block_at), size);
    }
    return (gint64)size;
}

static gint64 on_read(VipsSourceCustom *source, void *to, gint64 size, void *data)
{
    (void)source;
    PlanarTiff *planar = data;
    gint64 n = 0;
    g_mutex_lock(&planar->lock);
    if (planar->position < planar->layout.size && size > 0)
        n = read_some(planar, to, MIN((uint64_t)size, planar->layout.size - planar->position));
    if (n > 0)
        planar->position += (uint64_t)n;
    g_mutex_unlock(&planar->lock);
    return n;
}

static gint64 on_seek(VipsSourceCustom *source, gint64 offset, int whence, void *data)
{
    (void)source;
    PlanarTiff *planar = data;
    g_mutex_lock(&planar->lock);
    gint64 from = whence == SEEK_SET   ? 0
                  : whence == SEEK_CUR ? (gint64)planar->position
                                       : (gint64)planar->layout.size;
    gint64 at = from + offset;
    if (at >= 0)
        planar->position = (uint64_t)at;
    g_mutex_unlock(&planar->lock);
    return at >= 0 ? at : -1;
}

VipsSource *planar_tiff_source(FileBytes *file, TiffHeader *header)
{
    PlanarTiff *planar = g_new0(PlanarTiff, 1);
    g_mutex_init(&planar->lock);
    planar->file = *file;
    *file = (FileBytes){.file = -1};
    header->file = &planar->file;
    bool ok = planar_layout_new(&planar->layout, header);
    *header = (TiffHeader){0};
    if (!ok) {
        free_planar(planar);
        return NULL;
    }
    VipsSourceCustom *source = vips_source_custom_new();
    g_signal_connect(source, "read", G_CALLBACK(on_read), planar);
    g_signal_connect(source, "seek", G_CALLBACK(on_seek), planar);
    g_object_set_data_full(G_OBJECT(source), "cof", planar, free_planar);
    return VIPS_SOURCE(source);
}
