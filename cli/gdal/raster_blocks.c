/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of a raster in memory, with the samples of each pixel side by side. Parts of a raster
 * overlap, because a filter needs the pixels around them: each block is decoded and its bands are
 * interleaved once in a pass, and parts are copied from there.
 *
 * A block has one place, by its row and column of blocks. There are as many rows of places as the
 * highest part touches rows of blocks, so that parts can be read from left to right and from top to
 * bottom without a block being read twice. */
#include "gdal/raster.h"

#include <cpl_error.h>
#include <string.h>

/* Blocks larger than this are not kept, nor more than so many bytes of blocks. */
#define MAX_BLOCK_BYTES 64e6
#define MAX_BYTES 420e6

/* Columns of places if memory does not suffice for all. */
#define MIN_COLUMNS 4

typedef struct Block {
    char *samples;
    int row, column;
    bool is_read;
} Block;

struct RasterBlocks {
    Raster *raster;
    const BandList *list;
    int width, height;     /* of a block */
    int across;            /* blocks in a row of the raster */
    int rows, columns;     /* of places */
    size_t sample, pixels; /* bytes of a sample, pixels of a block */
    Block *places;
};

static size_t block_bytes(const RasterBlocks *blocks)
{
    return blocks->pixels * blocks->sample * (size_t)blocks->list->n;
}

static bool has_same_blocks(const Raster *raster, const BandList *list, int width, int height)
{
    bool same = true;
    for (int i = 0; i < list->n && same; i++) {
        int w, h;
        GDALGetBlockSize(raster->bands[list->numbers[i] - 1].handle, &w, &h);
        same = w == width && h == height;
    }
    return same;
}

RasterBlocks *raster_blocks_new(Raster *raster, const BandList *list)
{
    int width, height;
    GDALGetBlockSize(raster->bands[list->numbers[0] - 1].handle, &width, &height);
    size_t sample = (size_t)GDALGetDataTypeSizeBytes(raster->type);
    double bytes = (double)width * height * (double)sample * list->n;
    if (g_str_has_prefix(raster->name, "/vsi") || bytes > MAX_BLOCK_BYTES ||
        !has_same_blocks(raster, list, width, height))
        return NULL;
    RasterBlocks *blocks = g_new0(RasterBlocks, 1);
    *blocks = (RasterBlocks){.raster = raster,
                             .list = list,
                             .width = width,
                             .height = height,
                             .across = (raster->width - 1) / width + 1,
                             .sample = sample,
                             .pixels = (size_t)width * (size_t)height};
    return blocks;
}

static void free_places(RasterBlocks *blocks)
{
    for (int i = 0; i < blocks->rows * blocks->columns; i++)
        g_free(blocks->places[i].samples);
    g_free(blocks->places);
    blocks->places = NULL;
    blocks->rows = blocks->columns = 0;
}

void raster_blocks_free(RasterBlocks *blocks)
{
    if (!blocks)
        return;
    free_places(blocks);
    g_free(blocks);
}

int raster_blocks_height(const RasterBlocks *blocks)
{
    return blocks->height;
}

/* Makes places for a part that touches so many rows of blocks. */
static void make_places(RasterBlocks *blocks, int rows)
{
    if (rows <= blocks->rows)
        return;
    double most = MAX_BYTES / ((double)block_bytes(blocks) * rows);
    int columns = most < MIN_COLUMNS ? MIN_COLUMNS : most < blocks->across ? (int)most : 0;
    free_places(blocks);
    blocks->rows = rows;
    blocks->columns = columns > 0 && columns < blocks->across ? columns : blocks->across;
    blocks->places = g_new0(Block, (gsize)blocks->rows * (gsize)blocks->columns);
}

/* The part of the raster that a block covers. */
static VipsRect block_area(const RasterBlocks *blocks, const Block *block)
{
    VipsRect area = {block->column * blocks->width, block->row * blocks->height, blocks->width,
                     blocks->height};
    VipsRect all = {0, 0, blocks->raster->width, blocks->raster->height};
    vips_rect_intersectrect(&area, &all, &area);
    return area;
}

static bool load(RasterBlocks *blocks, Block *block)
{
    VipsRect area = block_area(blocks, block);
    GSpacing sample = (GSpacing)blocks->sample, pixel = sample * blocks->list->n;
    if (!block->samples)
        block->samples = g_try_malloc(block_bytes(blocks));
    if (!block->samples) {
        CPLError(CE_Failure, CPLE_OutOfMemory, "not enough memory");
        return false;
    }
    return GDALDatasetRasterIOEx(blocks->raster->dataset, GF_Read, area.left, area.top, area.width,
                                 area.height, block->samples, area.width, area.height,
                                 blocks->raster->type, blocks->list->n, blocks->list->numbers,
                                 pixel, pixel * blocks->width, sample, NULL) == CE_None;
}

/* The block in a row and a column of blocks; NULL: it cannot be read. */
static const Block *get_block(RasterBlocks *blocks, int row, int column)
{
    Block *block = &blocks->places[row % blocks->rows * blocks->columns + column % blocks->columns];
    if (block->is_read && block->row == row && block->column == column)
        return block;
    block->row = row;
    block->column = column;
    block->is_read = load(blocks, block);
    return block->is_read ? block : NULL;
}

static void copy_part(const RasterBlocks *blocks, const Block *block, const VipsRect *rect,
                      char *to, size_t line)
{
    VipsRect part = block_area(blocks, block);
    size_t pixel = blocks->sample * (size_t)blocks->list->n;
    int left = part.left, top = part.top;
    vips_rect_intersectrect(&part, rect, &part);
    to += (size_t)(part.top - rect->top) * line + (size_t)(part.left - rect->left) * pixel;
    size_t step = (size_t)blocks->width * pixel;
    const char *from =
        block->samples + (size_t)(part.top - top) * step + (size_t)(part.left - left) * pixel;
    for (int y = 0; y < part.height; y++)
        memcpy(to + (size_t)y * line, from + (size_t)y * step, (size_t)part.width * pixel);
}

int raster_blocks_read(RasterBlocks *blocks, const VipsRect *rect, void *to, size_t line)
{
    int first = rect->top / blocks->height, last = (VIPS_RECT_BOTTOM(rect) - 1) / blocks->height;
    int left = rect->left / blocks->width, right = (VIPS_RECT_RIGHT(rect) - 1) / blocks->width;
    make_places(blocks, last - first + 1);
    for (int row = first; row <= last; row++)
        for (int column = left; column <= right; column++) {
            const Block *block = get_block(blocks, row, column);
            if (!block)
                return -1;
            copy_part(blocks, block, rect, to, line);
        }
    return 0;
}

/* GDAL's own default is a share of the memory of the machine. */
#define MIN_CACHE 64e6
#define MAX_CACHE_FOR_INPUT 420e6
#define MAX_CACHE_FOR_OUTPUT 256e6

static void set_cache(double bytes, double most)
{
    bytes = bytes < MIN_CACHE ? MIN_CACHE : bytes;
    GDALSetCacheMax64((GIntBig)(bytes > most ? most : bytes));
}

/* Blocks in memory are read once; masks are not among them. */
static bool reads_once(const Raster *raster)
{
    return raster->filtered_blocks && raster->learned_blocks && !raster->mask && raster->alpha == 0;
}

/* Bytes of a row of blocks, in all bands. */
static double raster_block_row(GDALDatasetH dataset)
{
    int width, height;
    double bytes = 0;
    for (int i = 1; i <= GDALGetRasterCount(dataset); i++) {
        GDALRasterBandH band = GDALGetRasterBand(dataset, i);
        GDALGetBlockSize(band, &width, &height);
        int across = (GDALGetRasterXSize(dataset) + width - 1) / width;
        bytes +=
            (double)across * width * height * GDALGetDataTypeSizeBytes(GDALGetRasterDataType(band));
    }
    return bytes;
}

void raster_cache_for_input(const Raster *raster)
{
    double rows = reads_once(raster) ? 0 : 2.5;
    set_cache(rows * raster_block_row(raster->dataset), MAX_CACHE_FOR_INPUT);
}

void raster_cache_for_output(GDALDatasetH out)
{
    set_cache(1.2 * raster_block_row(out) + MIN_CACHE / 2, MAX_CACHE_FOR_OUTPUT);
}
