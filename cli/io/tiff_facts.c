/* SPDX-License-Identifier: BSD-2-Clause */
/* What a TIFF file says of its pages, its place on Earth and its encoding. */
#include "io/tiff_facts.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

#include "io/formats.h"
#include "io/paths.h"

/* The most directories that are read. */
#define MAX_DIRECTORIES 1000000

/* libtiff does not know these tags. */
enum {
    TAG_GEO_PIXEL_SCALE = 33550,
    TAG_GEO_TIE_POINTS = 33922,
    TAG_GEO_TRANSFORMATION = 34264,
    TAG_GEO_KEYS = 34735,
    TAG_GDAL_METADATA = 42112,
    TAG_GDAL_NODATA = 42113,
    TAG_RPC = 50844
};

static int number(TIFF *tiff, uint32_t tag)
{
    uint16_t value = 0;
    TIFFGetFieldDefaulted(tiff, tag, &value);
    return value;
}

static uint32_t long_number(TIFF *tiff, uint32_t tag)
{
    uint32_t value = 0;
    TIFFGetField(tiff, tag, &value);
    return value;
}

/* Whether the directory has a tag that is no part of libtiff's own structure. */
static bool has_tag(TIFF *tiff, uint32_t tag)
{
    for (int i = TIFFGetTagListCount(tiff) - 1; i >= 0; i--)
        if (TIFFGetTagListEntry(tiff, i) == tag)
            return true;
    return false;
}

/* A text whose tag libtiff does not know, unless GDAL has told it; for g_free(). */
static char *foreign_text(TIFF *tiff, uint32_t tag)
{
    const TIFFField *field = has_tag(tiff, tag) ? TIFFFindField(tiff, tag, TIFF_ANY) : NULL;
    char *text = NULL;
    uint16_t short_count = 0;
    uint32_t count = 0;
    if (!field || TIFFFieldDataType(field) != TIFF_ASCII)
        return NULL;
    if (!TIFFFieldPassCount(field))
        return TIFFGetField(tiff, tag, &text) ? g_strdup(text) : NULL;
    if (TIFFFieldReadCount(field) == TIFF_VARIABLE2)
        return TIFFGetField(tiff, tag, &count, &text) ? g_strndup(text, count) : NULL;
    return TIFFGetField(tiff, tag, &short_count, &text) ? g_strndup(text, short_count) : NULL;
}

/* Parses a number, also infinity and NaN as old programs for Windows write them. */
static bool parse_nodata(const char *text, double *value)
{
    char *end;
    const char *special = strstr(text, ".#");
    if (special) {
        *value = strncmp(special, ".#INF", 5) == 0 ? INFINITY : NAN;
        *value = *text == '-' ? -*value : *value;
        return true;
    }
    *value = g_ascii_strtod(text, &end);
    return end != text && *end == '\0';
}

static void read_place(TIFF *tiff, TiffFacts *facts)
{
    static const uint32_t positions[] = {TAG_GEO_PIXEL_SCALE, TAG_GEO_TIE_POINTS,
                                         TAG_GEO_TRANSFORMATION, TAG_GEO_KEYS, TAG_RPC};
    for (size_t i = 0; i < G_N_ELEMENTS(positions); i++)
        facts->is_located |= has_tag(tiff, positions[i]);
    facts->is_named = has_tag(tiff, TAG_GDAL_METADATA);
    char *nodata = foreign_text(tiff, TAG_GDAL_NODATA);
    facts->has_nodata = nodata && parse_nodata(g_strstrip(nodata), &facts->nodata);
    g_free(nodata);
}

/* A strip or tile without bytes at a position: libvips takes it for missing. */
static bool lacks_sizes(TIFF *tiff)
{
    bool tiled = TIFFIsTiled(tiff);
    uint32_t n = tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    uint64_t *sizes = NULL, *offsets = NULL;
    if (!TIFFGetField(tiff, tiled ? TIFFTAG_TILEBYTECOUNTS : TIFFTAG_STRIPBYTECOUNTS, &sizes) ||
        !TIFFGetField(tiff, tiled ? TIFFTAG_TILEOFFSETS : TIFFTAG_STRIPOFFSETS, &offsets))
        return false;
    for (uint32_t i = 0; i < n && sizes && offsets; i++)
        if (sizes[i] == 0 && offsets[i] != 0)
            return true;
    return false;
}

/* Whether colours are multiplied by alpha. */
static bool is_premultiplied(TIFF *tiff)
{
    uint16_t n = 0, *extra = NULL;
    return TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &n, &extra) && n > 0 &&
           extra[0] == EXTRASAMPLE_ASSOCALPHA;
}

/* Whether the file does not say that the sample behind the colours is alpha. */
static bool has_unnamed_sample(TIFF *tiff)
{
    uint16_t n = 0, *extra = NULL;
    int colours = number(tiff, TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_RGB ? 3 : 1;
    return TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &n, &extra) && n > 0 &&
           number(tiff, TIFFTAG_SAMPLESPERPIXEL) == colours + 1 &&
           extra[0] == EXTRASAMPLE_UNSPECIFIED;
}

/* libvips passes the Y, Cb and Cr of other codecs than JPEG on. */
static bool has_raw_ycbcr(TIFF *tiff)
{
    enum { APERIO_YCBCR = 33003, APERIO_RGB = 33005 };
    int compression = number(tiff, TIFFTAG_COMPRESSION);
    return number(tiff, TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_YCBCR &&
           compression != COMPRESSION_JPEG && compression != COMPRESSION_OJPEG &&
           compression != APERIO_YCBCR && compression != APERIO_RGB;
}

/* libvips reads 1, 2, 4, 8, 16 and 32 bits, and floats of 32 bits. */
static bool has_odd_samples(TIFF *tiff)
{
    int bits = number(tiff, TIFFTAG_BITSPERSAMPLE);
    bool is_float = number(tiff, TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_IEEEFP;
    return bits > 32 || (bits & (bits - 1)) != 0 || (is_float && bits < 32);
}

/* Why libvips would read a page wrong and GDAL does not; NULL: it would not. */
static const char *reason_for_gdal(TIFF *tiff)
{
    int bits = number(tiff, TIFFTAG_BITSPERSAMPLE), bands = number(tiff, TIFFTAG_SAMPLESPERPIXEL);
    int photometric = number(tiff, TIFFTAG_PHOTOMETRIC);
    bool is_separate = number(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
    bool is_common = bits <= 16 && number(tiff, TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_UINT;
    if (is_separate && (bands > 1 || bits < 8))
        return "stores its bands separately";
    if (is_premultiplied(tiff) && !is_common)
        return "has colours multiplied by alpha of other than 8 or 16 bits";
    if (has_raw_ycbcr(tiff))
        return "stores YCbCr without JPEG";
    if (has_odd_samples(tiff))
        return "has samples of an unusual number of bits";
    if (photometric <= PHOTOMETRIC_MINISBLACK && bands > 2)
        return "has bands behind grey whose meaning it does not state";
    return lacks_sizes(tiff) ? "does not state the sizes of all strips" : NULL;
}

/* Why no reader reads a page right; NULL: one does. */
static const char *fault_of(TIFF *tiff)
{
    int photometric = number(tiff, TIFFTAG_PHOTOMETRIC);
    bool is_integer = number(tiff, TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_UINT;
    if (photometric == PHOTOMETRIC_ICCLAB || photometric == PHOTOMETRIC_ITULAB)
        return "has Lab colours in the encoding of ICC or ITU, which no reader knows";
    if (photometric == PHOTOMETRIC_MINISWHITE && !is_integer)
        return "has floats or signed integers that are white where they are least";
    return NULL;
}

/* The quality of JPEG, and whether WebP is lossless. */
static void read_codec(TIFF *tiff, Encoding *encoding)
{
    enum { START = 64 };
    uint32_t size = 0;
    void *tables = NULL;
    uint8_t start[START];
    TiffLayout layout = encoding->tiff;
    if (layout.compression == COMPRESSION_JPEG &&
        TIFFGetField(tiff, TIFFTAG_JPEGTABLES, &size, &tables) && size > 0)
        *encoding = encoding_of_bytes(tables, size);
    if (layout.compression == COMPRESSION_WEBP) {
        tmsize_t n = TIFFIsTiled(tiff) ? TIFFReadRawTile(tiff, 0, start, START)
                                       : TIFFReadRawStrip(tiff, 0, start, START);
        if (n > 0)
            *encoding = encoding_of_bytes(start, (size_t)n);
    }
    encoding->tiff = layout;
}

static void read_encoding(TIFF *tiff, TiffFacts *facts)
{
    TiffLayout *layout = &facts->encoding.tiff;
    layout->compression = number(tiff, TIFFTAG_COMPRESSION);
    layout->predictor = 1;
    if (layout->compression == COMPRESSION_LZW || layout->compression == COMPRESSION_ZSTD ||
        layout->compression == COMPRESSION_ADOBE_DEFLATE ||
        layout->compression == COMPRESSION_DEFLATE)
        layout->predictor = number(tiff, TIFFTAG_PREDICTOR);
    layout->tile_width = (int)MIN(long_number(tiff, TIFFTAG_TILEWIDTH), INT32_MAX);
    layout->tile_height = (int)MIN(long_number(tiff, TIFFTAG_TILELENGTH), INT32_MAX);
    read_codec(tiff, &facts->encoding);
}

static void read_chosen_page(TIFF *tiff, TiffFacts *facts)
{
    int photometric = number(tiff, TIFFTAG_PHOTOMETRIC);
    read_place(tiff, facts);
    facts->has_many_bands = number(tiff, TIFFTAG_SAMPLESPERPIXEL) > MAX_IMAGE_BANDS &&
                            photometric != PHOTOMETRIC_SEPARATED;
    facts->has_unnamed_sample = has_unnamed_sample(tiff);
    facts->is_premultiplied = is_premultiplied(tiff);
    facts->orientation = number(tiff, TIFFTAG_ORIENTATION);
    facts->has_no_unit = number(tiff, TIFFTAG_RESOLUTIONUNIT) == RESUNIT_NONE;
    bool has_exif = has_tag(tiff, TIFFTAG_EXIFIFD), has_iptc = has_tag(tiff, TIFFTAG_RICHTIFFIPTC);
    facts->not_read = has_exif ? "EXIF" : NULL;
    facts->lost_by_gdal = has_exif && has_iptc ? "EXIF, IPTC" : has_iptc ? "IPTC" : facts->not_read;
}

/* The sizes of pages, and where they are in the file. */
typedef struct Sizes {
    double width, height; /* of the first one */
    bool all_overviews;
    GArray *positions;
} Sizes;

/* Reads what is needed of a directory; `page`: which page is chosen, from 0. */
static void read_directory(TIFF *tiff, int page, TiffFacts *facts, Sizes *sizes)
{
    int position = facts->directories++, n = (int)sizes->positions->len;
    uint32_t kind = long_number(tiff, TIFFTAG_SUBFILETYPE);
    double width = long_number(tiff, TIFFTAG_IMAGEWIDTH);
    double height = long_number(tiff, TIFFTAG_IMAGELENGTH);
    if (kind & FILETYPE_MASK)
        facts->needs_gdal = "has a mask";
    if (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK))
        return;
    if (!facts->needs_gdal)
        facts->needs_gdal = reason_for_gdal(tiff);
    if (!facts->encoding.fault)
        facts->encoding.fault = fault_of(tiff);
    if (n == page)
        read_chosen_page(tiff, facts);
    if (n == 0) {
        sizes->width = width;
        sizes->height = height;
    } else {
        facts->layout.mixed |= width != sizes->width || height != sizes->height ||
                               g_array_index(sizes->positions, int, n - 1) != position - 1;
        sizes->all_overviews &= is_overview(width, height, sizes->width, sizes->height);
    }
    g_array_append_val(sizes->positions, position);
}

static void read_pages(TIFF *tiff, int page, TiffFacts *facts)
{
    int first = 0;
    Sizes sizes = {.all_overviews = true, .positions = g_array_new(FALSE, FALSE, sizeof(int))};
    bool is_there = true;
    while (is_there && facts->directories < MAX_DIRECTORIES) {
        read_directory(tiff, page, facts, &sizes);
        bool is_last = TIFFLastDirectory(tiff);
        is_there = !is_last && TIFFReadDirectory(tiff);
        facts->lacks_pages = !is_last && !is_there;
    }
    if (sizes.positions->len == 0)
        g_array_append_val(sizes.positions, first);
    facts->layout.n = (int)sizes.positions->len;
    if (sizes.all_overviews && facts->layout.n > 1) {
        facts->not_read = "its smaller pages, which are taken for overviews";
        facts->layout.n = 1;
        facts->layout.mixed = false;
    }
    facts->layout.position = (int *)(void *)g_array_free(sizes.positions, FALSE);
}

static int open_tiff(const char *path)
{
    static const char signatures[][4] = {
        {'I', 'I', 42, 0}, {'I', 'I', 43, 0}, {'M', 'M', 0, 42}, {'M', 'M', 0, 43}};
    bool found = false;
    for (size_t i = 0; i < G_N_ELEMENTS(signatures) && !path_is_special(path); i++)
        found |= path_begins_with(path, signatures[i], sizeof signatures[i]);
    return found ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

bool tiff_facts_read(const char *path, int page, TiffFacts *facts)
{
    *facts = (TiffFacts){0};
    int file = open_tiff(path);
    TIFF *tiff = file >= 0 ? TIFFFdOpen(file, path, "rm") : NULL;
    if (!tiff) {
        if (file >= 0)
            close(file);
        vips_error_clear(); /* libvips opens the file again and reports the cause */
        return false;
    }
    char *description = NULL;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &description))
        facts->described = described_images(description);
    read_encoding(tiff, facts);
    read_pages(tiff, MAX(page, 1) - 1, facts);
    TIFFClose(tiff);
    vips_error_clear();
    return true;
}
