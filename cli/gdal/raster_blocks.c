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
    char *samples; /* NULL: the file does not store the block */
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
    bool is_planar;        /* the file stores each band by itself */
    Block *places;
    char *planes;      /* the bands of a block */
    bool is_sparse;    /* blocks may be missing */
    char *missing_row; /* of a missing block; NULL: none was read */
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
    const char *order = GDALGetMetadataItem(raster->dataset, "INTERLEAVE", "IMAGE_STRUCTURE");
    RasterBlocks *blocks = g_new0(RasterBlocks, 1);
    *blocks = (RasterBlocks){.raster = raster,
                             .list = list,
                             .width = width,
                             .height = height,
                             .across = (raster->width - 1) / width + 1,
                             .sample = sample,
                             .pixels = (size_t)width * (size_t)height,
                             .is_sparse = raster_is_sparse(raster),
                             .is_planar = list->n == 1 || (order && strcmp(order, "BAND") == 0)};
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
    g_free(blocks->planes);
    g_free(blocks->missing_row);
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

#define WEAVE(TYPE, N) \
    for (size_t i = 0; i < pixels; i++) \
        for (size_t band = 0; band < (N); band++) \
    ((TYPE *)to)[i * (N) + band] = ((const TYPE *)from)[band * pixels + i]

#define WEAVE_BANDS(TYPE) \
    switch (n) { \
    case 2: \
        WEAVE(TYPE, 2); \
        break; \
    case 3: \
        WEAVE(TYPE, 3); \
        break; \
    case 4: \
        WEAVE(TYPE, 4); \
        break; \
    default: \
        WEAVE(TYPE, n); \
    }

/* From n planes to pixels of n samples. Numbers of bands that are common have loops of their own,
 * which compilers can vectorise. */
static void interleave(const void *restrict from, size_t pixels, size_t n, size_t sample,
                       void *restrict to)
{
    switch (sample) {
    case 1:
        WEAVE_BANDS(uint8_t)
        break;
    case 2:
        WEAVE_BANDS(uint16_t)
        break;
    case 4:
        WEAVE_BANDS(uint32_t)
        break;
    default:
        WEAVE_BANDS(uint64_t)
    }
}

/* Reads the bands one by one, past GDAL's cache. */
static CPLErr read_planes(const RasterBlocks *blocks, const Block *block, char *to)
{
    CPLErr status = CE_None;
    for (int i = 0; i < blocks->list->n && status == CE_None; i++)
        status =
            GDALReadBlock(blocks->raster->bands[blocks->list->numbers[i] - 1].handle, block->column,
                          block->row, to + (size_t)i * blocks->pixels * blocks->sample);
    return status;
}

/* Reads the bands of a file that stores them pixel by pixel. GDAL decodes the block for the first
 * one, and has the others in its cache then. */
static CPLErr read_pixels(const RasterBlocks *blocks, const Block *block, char *to)
{
    const Raster *raster = blocks->raster;
    int left = block->column * blocks->width, top = block->row * blocks->height;
    int width = MIN(blocks->width, raster->width - left);
    int height = MIN(blocks->height, raster->height - top);
    size_t line = blocks->sample * (size_t)blocks->width;
    CPLErr status = CE_None;
    for (int i = 0; i < blocks->list->n && status == CE_None; i++)
        status =
            GDALRasterIOEx(raster->bands[blocks->list->numbers[i] - 1].handle, GF_Read, left, top,
                           width, height, to + (size_t)i * line * (size_t)blocks->height, width,
                           height, raster->type, (GSpacing)blocks->sample, (GSpacing)line, NULL);
    return status;
}

static bool take_memory(char **memory, size_t bytes)
{
    if (!*memory)
        *memory = g_try_malloc(bytes);
    if (!*memory)
        CPLError(CE_Failure, CPLE_OutOfMemory, "not enough memory");
    return *memory;
}

static bool load(RasterBlocks *blocks, Block *block)
{
    size_t n = (size_t)blocks->list->n;
    if (!take_memory(&block->samples, block_bytes(blocks)) ||
        (n > 1 && !take_memory(&blocks->planes, block_bytes(blocks))))
        return false;
    char *to = n > 1 ? blocks->planes : block->samples;
    CPLErr status =
        blocks->is_planar ? read_planes(blocks, block, to) : read_pixels(blocks, block, to);
    if (status == CE_None && n > 1)
        interleave(blocks->planes, blocks->pixels, n, blocks->sample, block->samples);
    return status == CE_None;
}

/* Whether the file does not store the block. */
static bool is_missing(const RasterBlocks *blocks, const Block *block)
{
    const Raster *raster = blocks->raster;
    int left = block->column * blocks->width, top = block->row * blocks->height;
    int width = MIN(blocks->width, raster->width - left);
    int height = MIN(blocks->height, raster->height - top);
    bool missing = blocks->is_sparse;
    for (int i = 0; i < blocks->list->n && missing; i++)
        missing =
            GDALGetDataCoverageStatus(raster->bands[blocks->list->numbers[i] - 1].handle, left, top,
                                      width, height, 0, NULL) == GDAL_DATA_COVERAGE_STATUS_EMPTY;
    return missing;
}

/* Whether the pixels of a block that was read are equal. */
static bool is_uniform(const RasterBlocks *blocks, const Block *block)
{
    const Raster *raster = blocks->raster;
    size_t pixel = blocks->sample * (size_t)blocks->list->n;
    size_t width =
        (size_t)MIN(blocks->width, raster->width - block->column * blocks->width) * pixel;
    int height = MIN(blocks->height, raster->height - block->row * blocks->height);
    const char *first = block->samples;
    bool same = memcmp(first, first + pixel, width - pixel) == 0;
    for (int y = 1; y < height && same; y++)
        same = memcmp(first, first + (size_t)y * (size_t)blocks->width * pixel, width) == 0;
    return same;
}

/* Keeps the pixels of a missing block, which all have: a row of them. */
static void keep_missing_row(RasterBlocks *blocks, const char *pixel)
{
    size_t bytes = blocks->sample * (size_t)blocks->list->n;
    blocks->missing_row = g_malloc((size_t)blocks->width * bytes);
    for (int x = 0; x < blocks->width; x++)
        memcpy(blocks->missing_row + (size_t)x * bytes, pixel, bytes);
}

/* The first missing block is read, to find out what GDAL takes it for. */
static bool load_missing(RasterBlocks *blocks, Block *block)
{
    if (!blocks->missing_row) {
        if (!load(blocks, block))
            return false;
        blocks->is_sparse = is_uniform(blocks, block);
        if (!blocks->is_sparse)
            return true;
        keep_missing_row(blocks, block->samples);
    }
    g_free(block->samples);
    block->samples = NULL;
    return true;
}

/* The block in a row and a column of blocks; NULL: it cannot be read. */
static const Block *get_block(RasterBlocks *blocks, int row, int column)
{
    Block *block = &blocks->places[row % blocks->rows * blocks->columns + column % blocks->columns];
    if (block->is_read && block->row == row && block->column == column)
        return block;
    block->row = row;
    block->column = column;
    block->is_read = is_missing(blocks, block) ? load_missing(blocks, block) : load(blocks, block);
    return block->is_read ? block : NULL;
}

static void copy_part(const RasterBlocks *blocks, const Block *block, const VipsRect *rect,
                      char *to, size_t line)
{
    VipsRect part = {block->column * blocks->width, block->row * blocks->height, blocks->width,
                     blocks->height};
    size_t pixel = blocks->sample * (size_t)blocks->list->n;
    int left = part.left, top = part.top;
    vips_rect_intersectrect(&part, rect, &part);
    to += (size_t)(part.top - rect->top) * line + (size_t)(part.left - rect->left) * pixel;
    size_t step = block->samples ? (size_t)blocks->width * pixel : 0;
    const char *from = block->samples ? block->samples : blocks->missing_row;
    from += (size_t)(part.top - top) * step + (size_t)(part.left - left) * pixel;
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
