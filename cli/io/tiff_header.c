/* SPDX-License-Identifier: BSD-2-Clause */
/* The directories of a TIFF or BigTIFF file, read without its pixels. */
#include "io/tiff_header.h"

#include <glib.h>
#include <string.h>

/* Bounds for damaged and hostile files, in which directories can overlap. */
#define MAX_PAGES 100000
#define MAX_ENTRIES 4096
#define MAX_ENTRIES_OF_ALL (1 << 22)
#define MAX_TEXT (16 << 20)

/* The sizes of the fields of a file. */
typedef struct Format {
    bool big;
    int count, entry, offset; /* bytes of: the number of entries, an entry, an offset */
} Format;

int tiff_type_size(int type)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type >= 0 && type < (int)sizeof sizes ? sizes[type] : 0;
}

uint64_t tiff_load(bool big_endian, const uint8_t *bytes, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | bytes[big_endian ? i : size - 1 - i];
    return value;
}

void tiff_store(bool big_endian, uint8_t *bytes, int size, uint64_t value)
{
    for (int i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * (big_endian ? size - 1 - i : i));
}

/* Reads the signature and the position of the first directory. */
static bool read_signature(TiffHeader *header, Format *format, uint64_t *first)
{
    uint8_t bytes[16] = {0};
    if (!file_bytes_read(header->file, 0, bytes, 8))
        return false;
    header->big_endian = memcmp(bytes, "MM", 2) == 0;
    if (!header->big_endian && memcmp(bytes, "II", 2) != 0)
        return false;
    uint64_t version = tiff_load(header->big_endian, bytes + 2, 2);
    *format =
        version == 43 ? (Format){true, 8, 20, 8} : (Format){false, 2, 12, 4}; /* 43: BigTIFF */
    if ((version != 42 && version != 43) ||
        (format->big && !file_bytes_read(header->file, 0, bytes, sizeof bytes)))
        return false;
    *first = tiff_load(header->big_endian, bytes + (format->big ? 8 : 4), format->offset);
    return true;
}

/* Parses the entry at a position. Returns false if its values do not lie inside the file. */
static bool parse_entry(const TiffHeader *header, const Format *format, const uint8_t *bytes,
                        uint64_t at, TiffEntry *entry)
{
    bool order = header->big_endian;
    int field = format->big ? 12 : 8, room = format->offset;
    entry->tag = (uint16_t)tiff_load(order, bytes, 2);
    entry->type = (uint16_t)tiff_load(order, bytes + 2, 2);
    entry->count = tiff_load(order, bytes + 4, format->big ? 8 : 4);
    uint64_t size = (uint64_t)tiff_type_size(entry->type), all = header->file->size;
    if (size == 0 || entry->count > all / size)
        return false;
    bool is_inside = entry->count * size <= (uint64_t)room;
    entry->at = is_inside ? at + (uint64_t)field : tiff_load(order, bytes + field, room);
    return entry->at <= all && entry->count * size <= all - entry->at;
}

/* Reads the directory at page->at and the position of the next one. Entries that cannot be used are
 * left out. */
static bool read_page(const TiffHeader *header, const Format *format, TiffPage *page,
                      uint64_t *next, int *entries)
{
    uint8_t count[8];
    if (!file_bytes_read(header->file, page->at, count, (size_t)format->count))
        return false;
    uint64_t n = tiff_load(header->big_endian, count, format->count);
    *entries += (int)MIN(n, MAX_ENTRIES);
    if (n == 0 || n > MAX_ENTRIES || *entries > MAX_ENTRIES_OF_ALL)
        return false;
    uint64_t at = page->at + (uint64_t)format->count;
    size_t entry = (size_t)format->entry, size = (size_t)n * entry + (size_t)format->offset;
    uint8_t *bytes = g_malloc(size);
    bool ok = file_bytes_read(header->file, at, bytes, size);
    page->entries = g_new(TiffEntry, n);
    for (size_t i = 0; i < n && ok; i++)
        page->n +=
            parse_entry(header, format, bytes + i * entry, at + i * entry, &page->entries[page->n]);
    page->entries = g_renew(TiffEntry, page->entries, page->n);
    *next = ok ? tiff_load(header->big_endian, bytes + n * entry, format->offset) : 0;
    g_free(bytes);
    return ok;
}

static void free_page(void *page)
{
    g_free(((TiffPage *)page)->entries);
}

/* Follows the chain of directories. A damaged one, or one that was read before, ends it. */
static GArray *read_chain(const TiffHeader *header, const Format *format, uint64_t first)
{
    GArray *pages = g_array_new(FALSE, TRUE, sizeof(TiffPage));
    GHashTable *known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    int entries = 0;
    g_array_set_clear_func(pages, free_page);
    for (uint64_t at = first, next; at != 0 && pages->len < MAX_PAGES; at = next) {
        gint64 *key = g_new(gint64, 1);
        *key = (gint64)at;
        TiffPage page = {.at = at};
        bool ok = g_hash_table_add(known, key) && read_page(header, format, &page, &next, &entries);
        if (!ok) {
            free_page(&page);
            break;
        }
        g_array_append_val(pages, page);
    }
    g_hash_table_destroy(known);
    return pages;
}

bool tiff_header_read(TiffHeader *header, const FileBytes *file)
{
    Format format;
    uint64_t first;
    *header = (TiffHeader){.file = file};
    if (!read_signature(header, &format, &first))
        return false;
    GArray *pages = read_chain(header, &format, first);
    header->n = (int)pages->len;
    header->pages = (TiffPage *)(void *)g_array_free(pages, FALSE);
    return header->n > 0 || (tiff_header_free(header), false);
}

void tiff_header_free(TiffHeader *header)
{
    for (int i = 0; i < header->n; i++)
        free_page(&header->pages[i]);
    g_free(header->pages);
    header->pages = NULL;
    header->n = 0;
}

const TiffEntry *tiff_entry(const TiffPage *page, int tag)
{
    for (int i = 0; i < page->n; i++)
        if (page->entries[i].tag == tag)
            return &page->entries[i];
    return NULL;
}

static bool is_whole(int type)
{
    return type == TIFF_TYPE_BYTE || type == TIFF_TYPE_SHORT || type == TIFF_TYPE_LONG ||
           type == TIFF_TYPE_LONG8;
}

uint64_t tiff_number(const TiffHeader *header, const TiffPage *page, int tag, uint64_t i,
                     uint64_t fallback)
{
    uint8_t bytes[8];
    const TiffEntry *entry = tiff_entry(page, tag);
    int size = entry ? tiff_type_size(entry->type) : 0;
    if (!entry || !is_whole(entry->type) || i >= entry->count ||
        !file_bytes_read(header->file, entry->at + i * (uint64_t)size, bytes, (size_t)size))
        return fallback;
    return tiff_load(header->big_endian, bytes, size);
}

uint64_t *tiff_numbers(const TiffHeader *header, const TiffEntry *entry)
{
    size_t size = (size_t)tiff_type_size(entry->type), n = (size_t)entry->count;
    uint8_t *bytes = is_whole(entry->type) ? g_malloc(n * size) : NULL;
    uint64_t *numbers = NULL;
    if (bytes && file_bytes_read(header->file, entry->at, bytes, n * size)) {
        numbers = g_new(uint64_t, n);
        for (size_t i = 0; i < n; i++)
            numbers[i] = tiff_load(header->big_endian, bytes + i * size, (int)size);
    }
    g_free(bytes);
    return numbers;
}

char *tiff_text(const TiffHeader *header, const TiffPage *page, int tag)
{
    const TiffEntry *entry = tiff_entry(page, tag);
    if (!entry || tiff_type_size(entry->type) != 1 || entry->count > MAX_TEXT)
        return NULL;
    char *text = g_malloc0(entry->count + 1);
    if (file_bytes_read(header->file, entry->at, text, entry->count))
        return text;
    g_free(text);
    return NULL;
}
