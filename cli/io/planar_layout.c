/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of an interleaved TIFF that has the pixels and the tags of a planar one. */
#include "io/planar_layout.h"

#include <string.h>
#include <vips/vips.h>

#include "io/tiff_planes.h"

enum { PLANAR_SEPARATE = 2, PLANAR_CONTIG = 1, UNCOMPRESSED = 1, PHOTOMETRIC_YCBCR = 6 };

/* Above these, libvips reads no image, or a strip would need too much memory. */
#define MAX_SIDE VIPS_MAX_COORD
#define MAX_BANDS 1024
#define MAX_CHUNK_SIZE ((uint64_t)1 << 31)

/* Bounds of the interleaved file, for hostile files. */
#define MAX_DIRECTORIES_SIZE ((uint64_t)1 << 28)
#define MAX_SIZE ((uint64_t)1 << 62)

#define ENTRY_SIZE 20

bool page_is_planar(const TiffHeader *header, const TiffPage *page)
{
    return tiff_number(header, page, TIFF_PLANAR_CONFIG, 0, PLANAR_CONTIG) == PLANAR_SEPARATE &&
           tiff_number(header, page, TIFF_SAMPLES_PER_PIXEL, 0, 1) > 1;
}

uint64_t planar_chunk_rows(const PlanarPage *page, uint64_t chunk)
{
    uint64_t above = chunk * page->chunk_height;
    return page->tiled ? page->chunk_height : MIN(page->chunk_height, page->height - above);
}

uint64_t planar_row_size(const PlanarPage *page)
{
    return page->chunk_width * (uint64_t)page->bands * (uint64_t)page->sample;
}

static bool refuse(const char *why)
{
    vips_error("cof", "is a planar TIFF %s", why);
    return false;
}

/* Reads the size of the page and of its chunks. */
static bool read_geometry(const TiffHeader *header, PlanarPage *page)
{
    const TiffPage *tags = page->tags;
    uint64_t width = tiff_number(header, tags, TIFF_WIDTH, 0, 0);
    page->height = tiff_number(header, tags, TIFF_HEIGHT, 0, 0);
    page->tiled = tiff_entry(tags, TIFF_TILE_OFFSETS) != NULL;
    page->chunk_width = page->tiled ? tiff_number(header, tags, TIFF_TILE_WIDTH, 0, 0) : width;
    page->chunk_height =
        page->tiled
            ? tiff_number(header, tags, TIFF_TILE_HEIGHT, 0, 0)
            : MIN(tiff_number(header, tags, TIFF_ROWS_PER_STRIP, 0, UINT32_MAX), page->height);
    if (width - 1 >= MAX_SIDE || page->height - 1 >= MAX_SIDE ||
        page->chunk_width - 1 >= MAX_SIDE || page->chunk_height - 1 >= MAX_SIDE)
        return refuse("whose size is damaged");
    uint64_t across = (width - 1) / page->chunk_width + 1;
    uint64_t down = (page->height - 1) / page->chunk_height + 1;
    page->chunks = across * down;
    const TiffEntry *offsets =
        tiff_entry(tags, page->tiled ? TIFF_TILE_OFFSETS : TIFF_STRIP_OFFSETS);
    return (offsets && offsets->count / (uint64_t)page->bands >= page->chunks) ||
           refuse("whose strips or tiles are not all there");
}

/* Reads the depths of all bands at once: a hostile file has many bands and pages. */
static bool has_equal_depths(const TiffHeader *header, const TiffPage *tags, uint64_t bands,
                             uint64_t bits)
{
    const TiffEntry *entry = tiff_entry(tags, TIFF_BITS_PER_SAMPLE);
    uint64_t *depths = entry && entry->count > 1 ? tiff_numbers(header, entry) : NULL;
    bool equal = true;
    for (uint64_t i = 0; depths && i < MIN(entry->count, bands) && equal; i++)
        equal = depths[i] == bits;
    g_free(depths);
    return equal;
}

static bool read_samples(const TiffHeader *header, PlanarPage *page)
{
    const TiffPage *tags = page->tags;
    uint64_t bands = tiff_number(header, tags, TIFF_SAMPLES_PER_PIXEL, 0, 1);
    uint64_t bits = tiff_number(header, tags, TIFF_BITS_PER_SAMPLE, 0, 1);
    page->bands = (int)MIN(bands, MAX_BANDS + 1);
    page->sample = (int)(bits / 8);
    page->compressed =
        tiff_number(header, tags, TIFF_COMPRESSION, 0, UNCOMPRESSED) != UNCOMPRESSED ||
        tiff_number(header, tags, TIFF_FILL_ORDER, 0, 1) != 1;
    if (page->bands > MAX_BANDS)
        return refuse("of too many bands");
    if (!has_equal_depths(header, tags, bands, bits))
        return refuse("whose bands differ in depth, which cof cannot read");
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return refuse("of neither 8, 16, 32 nor 64 bits, which cof cannot read");
    if (tiff_number(header, tags, TIFF_PHOTOMETRIC, 0, 1) == PHOTOMETRIC_YCBCR &&
        (tiff_number(header, tags, TIFF_YCBCR_SUBSAMPLING, 0, 2) != 1 ||
         tiff_number(header, tags, TIFF_YCBCR_SUBSAMPLING, 1, 2) != 1))
        return refuse("with subsampled colours, which cof cannot read");
    return !page->compressed || tiff_planes_available() ||
           refuse("with compression, which this build of cof cannot read without libtiff");
}

static bool read_planar_page(const TiffHeader *header, PlanarPage *page)
{
    if (!read_samples(header, page) || !read_geometry(header, page))
        return false;
    uint64_t rows = page->compressed || page->tiled ? page->chunk_height : 1;
    return planar_row_size(page) <= MAX_CHUNK_SIZE / rows ||
           refuse("whose strips or tiles are too large");
}

/* Writes numbers of the new directories in the byte order of the file. */
static void put(PlanarLayout *layout, int size, uint64_t value)
{
    uint8_t bytes[8];
    tiff_store(layout->header.big_endian, bytes, size, value);
    g_byte_array_append(layout->directories, bytes, (guint)size);
}

static uint64_t next_position(const PlanarLayout *layout)
{
    return layout->directories_at + layout->directories->len;
}

/* An entry of a new directory. */
typedef struct NewEntry {
    uint16_t tag, type;
    uint64_t count;
    uint8_t field[8]; /* the values, or their position */
} NewEntry;

static void add_number(const PlanarLayout *layout, GArray *entries, uint16_t tag, TiffType type,
                       uint64_t count, uint64_t value)
{
    NewEntry entry = {.tag = tag, .type = (uint16_t)type, .count = count};
    int size = count > 1 ? 8 : tiff_type_size((int)type);
    tiff_store(layout->header.big_endian, entry.field, size, value);
    g_array_append_val(entries, entry);
}

/* Copies an entry. The values that fit are stored in the entry. */
static void copy_entry(const PlanarLayout *layout, GArray *entries, const TiffEntry *old)
{
    NewEntry entry = {.tag = old->tag, .type = old->type, .count = old->count};
    uint64_t size = old->count * (uint64_t)tiff_type_size(old->type);
    if (size > sizeof entry.field)
        tiff_store(layout->header.big_endian, entry.field, 8, old->at + PLANAR_HEADER_SIZE);
    else if (!file_bytes_read(layout->header.file, old->at, entry.field, (size_t)size))
        return;
    g_array_append_val(entries, entry);
}

/* Adds the positions of the chunks, or their sizes. */
static void add_chunks(PlanarLayout *layout, GArray *entries, uint16_t tag, const PlanarPage *page)
{
    bool offsets = tag == TIFF_STRIP_OFFSETS || tag == TIFF_TILE_OFFSETS;
    uint64_t at = next_position(layout), row = planar_row_size(page);
    if (page->chunks == 1) {
        uint64_t size = row * planar_chunk_rows(page, 0);
        add_number(layout, entries, tag, TIFF_TYPE_LONG8, 1, offsets ? page->at : size);
        return;
    }
    for (uint64_t i = 0; i < page->chunks; i++)
        put(layout, 8,
            offsets ? page->at + i * row * page->chunk_height : row * planar_chunk_rows(page, i));
    add_number(layout, entries, tag, TIFF_TYPE_LONG8, page->chunks, at);
}

/* Adds the positions of the chunks of a page that is interleaved already. */
static void move_chunks(PlanarLayout *layout, GArray *entries, const TiffEntry *old)
{
    uint64_t *offsets = tiff_numbers(&layout->header, old), at = next_position(layout);
    if (offsets && old->count == 1)
        add_number(layout, entries, old->tag, TIFF_TYPE_LONG8, 1, offsets[0] + PLANAR_HEADER_SIZE);
    else if (offsets) {
        for (uint64_t i = 0; i < old->count; i++)
            put(layout, 8, offsets[i] + PLANAR_HEADER_SIZE);
        add_number(layout, entries, old->tag, TIFF_TYPE_LONG8, old->count, at);
    }
    g_free(offsets);
}

/* Tags with positions in the file, which move. Other directories are in the old format. */
static bool is_position(uint16_t tag)
{
    return tag == TIFF_SUB_IFDS || tag == TIFF_EXIF_IFD || tag == TIFF_GPS_IFD ||
           (tag >= 512 && tag <= 521); /* of JPEG in its old form */
}

/* Tags of the storage, which is new for planar pages. */
static bool is_storage(uint16_t tag)
{
    return tag == TIFF_COMPRESSION || tag == TIFF_FILL_ORDER || tag == TIFF_STRIP_OFFSETS ||
           tag == TIFF_STRIP_BYTE_COUNTS || tag == TIFF_PLANAR_CONFIG || tag == TIFF_PREDICTOR ||
           tag == TIFF_TILE_OFFSETS || tag == TIFF_TILE_BYTE_COUNTS || tag == TIFF_JPEG_TABLES;
}

static int compare_tags(const void *a, const void *b)
{
    return (int)((const NewEntry *)a)->tag - (int)((const NewEntry *)b)->tag;
}

static GArray *make_entries(PlanarLayout *layout, const PlanarPage *page)
{
    GArray *entries = g_array_new(FALSE, TRUE, sizeof(NewEntry));
    for (int i = 0; i < page->tags->n; i++) {
        const TiffEntry *old = &page->tags->entries[i];
        bool offsets = old->tag == TIFF_STRIP_OFFSETS || old->tag == TIFF_TILE_OFFSETS;
        if (page->bands == 0 && offsets)
            move_chunks(layout, entries, old);
        else if (!is_position(old->tag) && (page->bands == 0 || !is_storage(old->tag)))
            copy_entry(layout, entries, old);
    }
    if (page->bands > 0) {
        add_number(layout, entries, TIFF_COMPRESSION, TIFF_TYPE_SHORT, 1, UNCOMPRESSED);
        add_number(layout, entries, TIFF_PLANAR_CONFIG, TIFF_TYPE_SHORT, 1, PLANAR_CONTIG);
        add_chunks(layout, entries, page->tiled ? TIFF_TILE_OFFSETS : TIFF_STRIP_OFFSETS, page);
        add_chunks(layout, entries, page->tiled ? TIFF_TILE_BYTE_COUNTS : TIFF_STRIP_BYTE_COUNTS,
                   page);
    }
    g_array_sort(entries, compare_tags);
    return entries;
}

/* Appends the directory of a page. `link` is where its position is stored; returns where that of
 * the next one is to be stored. */
static guint add_directory(PlanarLayout *layout, const PlanarPage *page, guint link)
{
    GArray *entries = make_entries(layout, page);
    uint8_t *number = link == 0 ? layout->start + 8 : layout->directories->data + link;
    tiff_store(layout->header.big_endian, number, 8, next_position(layout));
    put(layout, 8, entries->len);
    for (guint i = 0; i < entries->len; i++) {
        const NewEntry *entry = &g_array_index(entries, NewEntry, i);
        put(layout, 2, entry->tag);
        put(layout, 2, entry->type);
        put(layout, 8, entry->count);
        g_byte_array_append(layout->directories, entry->field, sizeof entry->field);
    }
    g_array_free(entries, TRUE);
    link = layout->directories->len;
    put(layout, 8, 0);
    return link;
}

/* An upper bound of the size of a new directory and its lists of chunks. */
static uint64_t directory_size(const PlanarPage *page)
{
    uint64_t entries = (uint64_t)page->tags->n + 4, chunks = 2 * page->chunks;
    for (int i = 0; i < page->tags->n && page->bands == 0; i++)
        chunks +=
            page->tags->entries[i].count * (page->tags->entries[i].tag == TIFF_STRIP_OFFSETS ||
                                            page->tags->entries[i].tag == TIFF_TILE_OFFSETS);
    return 16 + entries * ENTRY_SIZE + chunks * 8;
}

static bool place_all(PlanarLayout *layout)
{
    const TiffHeader *header = &layout->header;
    layout->directories_at = PLANAR_HEADER_SIZE + (header->file->size + 15) / 16 * 16;
    layout->pixels_at = layout->directories_at;
    for (int i = 0; i < header->n; i++)
        layout->pixels_at += directory_size(&layout->pages[i]);
    layout->size = layout->pixels_at;
    if (layout->pixels_at - layout->directories_at > MAX_DIRECTORIES_SIZE)
        return refuse("of too many strips or tiles");
    for (int i = 0; i < header->n && layout->size <= MAX_SIZE; i++) {
        PlanarPage *page = &layout->pages[i];
        page->at = layout->size;
        if (page->bands > 0) /* the last strip is no larger than the others */
            layout->size += page->chunks * page->chunk_height * planar_row_size(page);
    }
    return layout->size <= MAX_SIZE || refuse("that is too large");
}

static void write_directories(PlanarLayout *layout)
{
    bool order = layout->header.big_endian;
    guint link = 0;
    memcpy(layout->start, order ? "MM" : "II", 2);
    tiff_store(order, layout->start + 2, 2, 43); /* BigTIFF */
    tiff_store(order, layout->start + 4, 2, 8);  /* bytes of an offset */
    layout->directories = g_byte_array_new();
    for (int i = 0; i < layout->header.n; i++)
        link = add_directory(layout, &layout->pages[i], link);
}

bool planar_layout_new(PlanarLayout *layout, TiffHeader *header)
{
    bool ok = true;
    *layout = (PlanarLayout){.header = *header};
    layout->pages = g_new0(PlanarPage, (gsize)header->n);
    for (int i = 0; i < header->n && ok; i++) {
        PlanarPage *page = &layout->pages[i];
        page->tags = &header->pages[i];
        ok = !page_is_planar(header, page->tags) || read_planar_page(header, page);
    }
    ok = ok && place_all(layout);
    if (ok)
        write_directories(layout);
    else
        planar_layout_free(layout);
    return ok;
}

void planar_layout_free(PlanarLayout *layout)
{
    tiff_header_free(&layout->header);
    g_free(layout->pages);
    if (layout->directories)
        g_byte_array_free(layout->directories, TRUE);
    *layout = (PlanarLayout){0};
}
