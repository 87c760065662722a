/* SPDX-License-Identifier: BSD-2-Clause */
/* How an image file is encoded, and what it has that libvips does not read. */
#include "io/encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/paths.h"

/* The most chunks or boxes that are read. */
#define MAX_PARTS (1 << 20)

#define NAME(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))

/* Reads numbers from an untrusted file. Behind the end of the file, they are 0. */
typedef struct Reader {
    FILE *file;
    uint64_t at;
    bool failed; /* the file has ended */
} Reader;

/* A big-endian number of `size` bytes, 1 to 8. */
static uint64_t number(Reader *reader, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++) {
        int byte = reader->failed ? EOF : getc(reader->file);
        reader->failed |= byte == EOF;
        value = reader->failed ? 0 : value << 8 | (uint64_t)byte;
    }
    reader->at += (uint64_t)size;
    return value;
}

/* A number that was read as a big-endian one. */
static uint64_t swapped(uint64_t value, int size, bool little_endian)
{
    return !little_endian ? value
           : size == 2    ? GUINT16_SWAP_LE_BE((uint16_t)value)
                          : GUINT32_SWAP_LE_BE((uint32_t)value);
}

static void skip_to(Reader *reader, uint64_t position)
{
    reader->failed |= position > INT64_MAX || fseeko(reader->file, (off_t)position, SEEK_SET) != 0;
    reader->at = position;
}

/* JPEG. The tables of ITU-T T.81, annex K.1, which libjpeg scales by the quality. */

static const uint8_t luminance[64] = {16,  11,  10,  16,  24, 40, 51,  61,  12,  12,  14,  19,  26,
                                      58,  60,  55,  14,  13, 16, 24,  40,  57,  69,  56,  14,  17,
                                      22,  29,  51,  87,  80, 62, 18,  22,  37,  56,  68,  109, 103,
                                      77,  24,  35,  55,  64, 81, 104, 113, 92,  49,  64,  78,  87,
                                      103, 121, 120, 101, 72, 92, 95,  98,  112, 100, 103, 99};
static const uint8_t chrominance[64] = {
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
    99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};

/* The sum of a table as libjpeg scales it. Tables of 16 bits are not limited to 255. */
static uint64_t scaled_sum(const uint8_t table[64], int quality, int most)
{
    int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
    uint64_t sum = 0;
    for (int i = 0; i < 64; i++)
        sum += (uint64_t)CLAMP((table[i] * scale + 50) / 100, 1, most);
    return sum;
}

/* The quantisation tables of a file. */
typedef struct Tables {
    uint64_t sums[2]; /* of luminance and chrominance; 0: none */
    bool deep;        /* of 16 bits */
} Tables;

/* The lowest quality whose tables are as fine as those of the file, by the sums of both tables. The
 * sums differ for all qualities, so that the quality of a file of libjpeg is found exactly. */
static int estimate_quality(const Tables *tables)
{
    const uint8_t *const standard[] = {luminance, chrominance};
    int most = tables->deep ? 32767 : 255, quality = tables->sums[0] > 0 ? 1 : 0;
    for (int i = 0; i < 2 && quality > 0; i++)
        while (quality < 100 && tables->sums[i] > 0 &&
               scaled_sum(standard[i], quality, most) > tables->sums[i])
            quality++;
    return quality;
}

/* Reads the tables of a segment that ends at `end`. */
static void read_tables(Reader *reader, uint64_t end, Tables *tables)
{
    while (!reader->failed && reader->at < end) {
        int selector = (int)number(reader, 1);
        uint64_t sum = 0;
        for (int i = 0; i < 64; i++)
            sum += number(reader, selector >> 4 ? 2 : 1);
        if (reader->failed || (selector & 15) > 1)
            continue;
        tables->sums[selector & 15] = sum;
        tables->deep |= selector >> 4;
    }
}

static Chroma read_sampling(Reader *reader)
{
    int factors[3];
    number(reader, 5); /* precision, height and width */
    if (number(reader, 1) != 3)
        return CHROMA_UNKNOWN;
    for (int i = 0; i < 3; i++) {
        number(reader, 1);
        factors[i] = (int)number(reader, 1);
        number(reader, 1);
    }
    if (reader->failed || factors[1] != factors[2])
        return CHROMA_UNKNOWN;
    return factors[0] == factors[1]                   ? CHROMA_444
           : factors[0] == 0x22 && factors[1] == 0x11 ? CHROMA_420
                                                      : CHROMA_OTHER;
}

/* SOF0 to SOF15, which describe a frame; DHT, JPG and DAC lie between them. */
static bool is_frame(int marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/* Whether GDAL has written a mask behind the image: the last four bytes say where it begins. */
static bool has_mask_behind(Reader *reader)
{
    enum { EOI = 0xffd9, ZLIB = 0x78 };
    if (fseeko(reader->file, -4, SEEK_END) != 0)
        return false;
    uint64_t start = swapped(number(reader, 4), 4, true);
    skip_to(reader, start >= 2 ? start - 2 : 0);
    return number(reader, 2) == EOI && number(reader, 1) == ZLIB;
}

/* Reads up to the first scan. */
static void read_jpeg(Reader *reader, Encoding *encoding)
{
    enum { EOI = 0xd9, SOS = 0xda, DQT = 0xdb, APP2 = 0xe2 };
    Tables tables = {{0, 0}, false};
    skip_to(reader, 2);
    while (number(reader, 1) == 0xff) {
        int marker = (int)number(reader, 1);
        while (marker == 0xff) /* padding */
            marker = (int)number(reader, 1);
        if (marker == SOS || marker == EOI)
            break;
        uint64_t start = reader->at, length = number(reader, 2);
        if (length < 2)
            break;
        if (marker == DQT)
            read_tables(reader, start + length, &tables);
        else if (is_frame(marker))
            encoding->chroma = read_sampling(reader);
        else if (marker == APP2 && number(reader, 4) == NAME('M', 'P', 'F', 0))
            encoding->not_read = "the further images of a multi-picture file";
        skip_to(reader, start + length);
    }
    encoding->quality = estimate_quality(&tables);
    reader->failed = false;
    if (has_mask_behind(reader))
        encoding->not_read = "the mask behind the image";
}

static const char too_short[] = "is too short for the number of its pixels";

/* PNG */

/* What the chunks of a PNG file say. */
typedef struct Chunks {
    uint64_t data; /* bytes in IDAT */
    bool is_animated, has_profile, has_gamma, has_primaries;
    bool has_exif, has_late_exif; /* before and behind the pixels */
    int orientation;              /* in EXIF behind the pixels */
} Chunks;

/* The orientation in EXIF data, which have the structure of a TIFF file; 1 if there is none. */
static int read_orientation(Reader *reader)
{
    enum { ORIENTATION = 0x112 };
    uint64_t start = reader->at, order = number(reader, 2);
    bool little = order == 0x4949;
    number(reader, 2);
    skip_to(reader, start + swapped(number(reader, 4), 4, little));
    for (int n = (int)swapped(number(reader, 2), 2, little); n > 0 && !reader->failed; n--) {
        uint64_t tag = swapped(number(reader, 2), 2, little);
        number(reader, 6); /* type and count */
        int value = (int)swapped(number(reader, 2), 2, little);
        number(reader, 2);
        if (tag == ORIENTATION)
            return value >= 1 && value <= 8 ? value : 1;
    }
    return 1;
}

/* Whether numbers of a chunk differ by more than 1 % from those of sRGB. */
static bool differs(Reader *reader, const uint32_t *srgb, int n)
{
    bool found = false;
    for (int i = 0; i < n; i++)
        found |= labs((long)number(reader, 4) - (long)srgb[i]) > (long)srgb[i] / 100;
    return found && !reader->failed;
}

static Chunks read_chunks(Reader *reader)
{
    static const uint32_t gamma[] = {45455};
    static const uint32_t primaries[] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    Chunks chunks = {0};
    for (int i = 0; i < MAX_PARTS && !reader->failed; i++) {
        uint64_t size = number(reader, 4), name = number(reader, 4), start = reader->at;
        if (name == NAME('I', 'E', 'N', 'D'))
            break;
        if (name == NAME('I', 'D', 'A', 'T'))
            chunks.data += size;
        else if (name == NAME('a', 'c', 'T', 'L'))
            chunks.is_animated = number(reader, 4) > 1;
        else if (name == NAME('i', 'C', 'C', 'P') || name == NAME('s', 'R', 'G', 'B'))
            chunks.has_profile = true;
        else if (name == NAME('e', 'X', 'I', 'f') && chunks.data == 0)
            chunks.has_exif = true;
        else if (name == NAME('e', 'X', 'I', 'f') && !chunks.has_late_exif) {
            chunks.has_late_exif = true;
            chunks.orientation = read_orientation(reader);
        } else if (name == NAME('g', 'A', 'M', 'A'))
            chunks.has_gamma = differs(reader, gamma, 1);
        else if (name == NAME('c', 'H', 'R', 'M'))
            chunks.has_primaries = differs(reader, primaries, 8);
        skip_to(reader, start + size + 4); /* and its checksum */
    }
    return chunks;
}

static void read_png(Reader *reader, Encoding *encoding)
{
    enum { SIZE = 16, END_OF_HEADER = 33, MAX_RATIO = 1032 }; /* of deflate */
    static const int channels[8] = {1, 0, 3, 1, 2, 0, 4, 0};  /* by the colour type */
    skip_to(reader, SIZE);
    uint64_t width = number(reader, 4), height = number(reader, 4);
    int depth = (int)number(reader, 1), colour_type = (int)number(reader, 1);
    skip_to(reader, END_OF_HEADER);
    if (reader->failed || width > INT32_MAX || height > INT32_MAX)
        return;
    uint64_t row = width * (uint64_t)(channels[colour_type & 7] * depth) / 8;
    Chunks chunks = read_chunks(reader);
    uint64_t size = chunks.data;
    if (height > 0 && (size == 0 || row > (size + 1) * MAX_RATIO / height))
        encoding->fault = too_short;
    if (chunks.is_animated)
        encoding->not_read =
            "all frames but the first one (cof video writes them to an .apng file)";
    else if (chunks.has_late_exif && !chunks.has_exif) {
        encoding->not_read = "EXIF behind the pixels";
        encoding->orientation = chunks.orientation;
    } else if (!chunks.has_profile && (chunks.has_gamma || chunks.has_primaries))
        encoding->not_read = "its gamma and primaries (gAMA, cHRM), which are not those of sRGB";
}

/* HEIF */

/* ISO/IEC 14496-15: the chroma format and the bit depth are bytes 16 and 17. */
static void read_hevc(Reader *reader, Encoding *encoding)
{
    static const Chroma formats[4] = {CHROMA_UNKNOWN, CHROMA_420, CHROMA_OTHER, CHROMA_444};
    skip_to(reader, reader->at + 16);
    encoding->chroma = formats[number(reader, 1) & 3];
    encoding->bit_depth = 8 + (int)(number(reader, 1) & 7);
}

/* The AV1 codec configuration: byte 2 has flags. */
static void read_av1(Reader *reader, Encoding *encoding)
{
    number(reader, 2);
    int flags = (int)number(reader, 1);
    bool high = flags & 0x40, twelve = flags & 0x20, grey = flags & 0x10;
    bool half_width = flags & 0x08, half_height = flags & 0x04;
    encoding->bit_depth = !high ? 8 : twelve ? 12 : 10;
    if (!grey)
        encoding->chroma = half_height ? CHROMA_420 : half_width ? CHROMA_OTHER : CHROMA_444;
}

/* A box of HEIF or JPEG 2000. */
typedef struct Box {
    uint64_t type, end;
} Box;

/* Reads the start of the next box, which ends before `end`; false if there is none. */
static bool next_box(Reader *reader, uint64_t end, Box *box)
{
    uint64_t start = reader->at, size = number(reader, 4);
    box->type = number(reader, 4);
    if (size == 1)
        size = number(reader, 8);
    if (size == 0) /* up to the end */
        size = end - start;
    box->end = start + size;
    return !reader->failed && start <= end && size >= 8 && size <= end - start;
}

/* Reads the properties of the first image that has chroma, in boxes up to `end`; boxes in boxes are
 * at most `depth` levels deep. */
static void read_boxes(Reader *reader, uint64_t end, int depth, Encoding *encoding)
{
    Box box;
    for (int i = 0; i < MAX_PARTS && encoding->chroma == CHROMA_UNKNOWN; i++) {
        if (!next_box(reader, end, &box))
            return;
        if (box.type == NAME('m', 'e', 't', 'a'))
            number(reader, 4); /* version and flags */
        if (box.type == NAME('h', 'v', 'c', 'C'))
            read_hevc(reader, encoding);
        else if (box.type == NAME('a', 'v', '1', 'C'))
            read_av1(reader, encoding);
        else if (depth > 0 &&
                 (box.type == NAME('m', 'e', 't', 'a') || box.type == NAME('i', 'p', 'r', 'p') ||
                  box.type == NAME('i', 'p', 'c', 'o')))
            read_boxes(reader, box.end, depth - 1, encoding);
        skip_to(reader, box.end);
    }
}

/* JPEG 2000 */

/* Whether the second component has fewer samples than the image: ISO/IEC 15444-1, the marker SIZ.
 */
static bool is_subsampled(Reader *reader)
{
    enum { SECOND = 46 };
    skip_to(reader, reader->at + SECOND);
    return number(reader, 2) != 0x0101;
}

/* GDAL takes other colours than RGB for it, but not YCC that is subsampled. */
static void read_jpeg2000(Reader *reader, Encoding *encoding)
{
    enum { ENUMERATED = 1, RGB = 16, GREY = 17, SYCC = 18, ERGB = 20, ROMM = 21, ESYCC = 24 };
    uint64_t end = INT64_MAX, method, space = RGB;
    Box box;
    for (int i = 0; i < MAX_PARTS && next_box(reader, end, &box); i++) {
        if (box.type == NAME('j', 'p', '2', 'h'))
            continue; /* the boxes in it are next */
        if (box.type == NAME('c', 'o', 'l', 'r')) {
            method = number(reader, 1);
            number(reader, 2);
            space = method == ENUMERATED ? number(reader, 4) : space;
        } else if (box.type == NAME('j', 'p', '2', 'c')) {
            bool is_rgb = space == RGB || space == GREY || space == ERGB || space == ROMM;
            if (!is_rgb && ((space != SYCC && space != ESYCC) || !is_subsampled(reader)))
                encoding->gdal_fault = "has colours such as YCC or Lab, which GDAL takes for RGB";
            return;
        }
        skip_to(reader, box.end);
    }
}

/* BMP */

static void read_bmp(Reader *reader, Encoding *encoding)
{
    enum { COMPRESSION = 30, RLE4 = 2 };
    skip_to(reader, COMPRESSION);
    if (number(reader, 4) == (uint64_t)RLE4 << 24)
        encoding->gdal_fault = "is compressed as RLE4, which GDAL reads wrong";
}

/* FITS: a part has records of 80 bytes in blocks of 2880, then its pixels. Skips one, and returns
 * whether it has no pixels, so that libvips reads the next one. */
static bool skip_empty_part(Reader *reader)
{
    enum { RECORD = 80, BLOCK = 2880, MAX_RECORDS = 100000 };
    char record[RECORD + 1] = "";
    uint64_t bytes = 1;
    bool is_empty = true;
    for (int i = 0; i < MAX_RECORDS && !g_str_has_prefix(record, "END "); i++) {
        reader->failed |= fread(record, 1, RECORD, reader->file) != RECORD;
        if (reader->failed)
            return false;
        reader->at += RECORD;
        bool is_axis = g_str_has_prefix(record, "NAXIS") && g_ascii_isdigit(record[5]);
        is_empty &= !is_axis;
        if (is_axis || g_str_has_prefix(record, "BITPIX  ="))
            bytes *= (uint64_t)llabs(
                CLAMP(g_ascii_strtoll(record + 10, NULL, 10), -INT32_MAX, INT32_MAX));
    }
    uint64_t start = (reader->at + BLOCK - 1) / BLOCK * BLOCK;
    skip_to(reader, start + (is_empty ? 0 : (bytes / 8 + BLOCK - 1) / BLOCK * BLOCK));
    return is_empty;
}

static void read_fits(Reader *reader, Encoding *encoding)
{
    for (int i = 0; i < MAX_PARTS && skip_empty_part(reader); i++)
        ;
    if (number(reader, 4) == NAME('X', 'T', 'E', 'N'))
        encoding->not_read = "the further parts of the file";
}

/* WebP: whether the first image is stored without loss. Sizes are little-endian; the chunks of a
 * frame follow its 16 bytes, those of others follow with padding. */
static bool is_webp_lossless(Reader *reader)
{
    skip_to(reader, 12);
    for (int i = 0; i < MAX_PARTS && !reader->failed; i++) {
        uint64_t name = number(reader, 4);
        uint64_t size = swapped(number(reader, 4), 4, true);
        if (name == NAME('V', 'P', '8', 'L') || name == NAME('V', 'P', '8', ' '))
            return name == NAME('V', 'P', '8', 'L');
        skip_to(reader, reader->at + (name == NAME('A', 'N', 'M', 'F') ? 16 : size + (size & 1)));
    }
    return false;
}

/* GIF */

static void skip_blocks(Reader *reader)
{
    uint64_t size;
    while ((size = number(reader, 1)) > 0 && !reader->failed)
        skip_to(reader, reader->at + size);
}

/* The bytes of a table of colours, by the flags of a header. */
static uint64_t colour_bytes(int flags)
{
    return flags & 0x80 ? 3u << ((flags & 7) + 1) : 0;
}

/* Numbers of some bits, the lowest one first, in blocks of bytes: codes of LZW, and JPEG XL. */
typedef struct CodeReader {
    Reader *reader;
    uint64_t block; /* bytes left in it */
    uint64_t bits;
    int n_bits;
} CodeReader;

/* The next one, of up to 30 bits, or -1 at the end. */
static int next_code(CodeReader *codes, int size)
{
    while (codes->n_bits < size) {
        if (codes->block == 0)
            codes->block = number(codes->reader, 1);
        if (codes->block == 0)
            return -1;
        codes->bits |= number(codes->reader, 1) << codes->n_bits;
        codes->n_bits += 8;
        codes->block--;
    }
    int code = (int)(codes->bits & ((1u << size) - 1));
    codes->bits >>= size;
    codes->n_bits -= size;
    return code;
}

/* Whether a frame has a code for each of its pixels: libvips shows those that it finds. Only the
 * lengths of strings are decoded. */
static bool has_all_pixels(CodeReader *codes, uint64_t pixels)
{
    enum { MAX_CODES = 4096 };
    uint16_t lengths[MAX_CODES];
    int root = (int)number(codes->reader, 1), clear = 1 << (root & 15), size = 0, n = 0, last = 0;
    if (root < 1 || root > 11)
        return false;
    for (int i = 0; i < clear; i++)
        lengths[i] = 1;
    for (uint64_t found = 0; found < pixels; found += (uint64_t)last) {
        int code = next_code(codes, n == 0 ? root + 1 : size);
        if (code == clear || n == 0) {
            n = clear + 2;
            size = root + 1;
            last = 0;
            if (code == clear)
                continue;
        }
        if (last > 0 && n < MAX_CODES)
            lengths[n++] = (uint16_t)(last + 1);
        if (code < 0 || code >= n || code == clear + 1 || (last == 0 && code > clear))
            return false;
        if (n == 1 << size && size < 12)
            size++;
        last = lengths[code];
    }
    return next_code(codes, size) >=
           0; /* libvips drops the last string of a frame without an end */
}

static void read_gif(Reader *reader, Encoding *encoding)
{
    enum { SCREEN = 6, EXTENSION = 0x21, FRAME = 0x2c, MAX_FRAMES = 4096 };
    int frames = 0;
    skip_to(reader, SCREEN);
    encoding->width = (int)swapped(number(reader, 2), 2, true);
    encoding->height = (int)swapped(number(reader, 2), 2, true);
    uint64_t flags = number(reader, 1);
    skip_to(reader, reader->at + 2 + colour_bytes((int)flags));
    for (int i = 0; i < MAX_PARTS; i++) {
        uint64_t kind = number(reader, 1);
        if (reader->failed || (kind != EXTENSION && kind != FRAME))
            return; /* some files lack the trailer */
        number(reader, kind == FRAME ? 4 : 1);
        if (kind == FRAME) {
            uint64_t width = swapped(number(reader, 2), 2, true);
            uint64_t height = swapped(number(reader, 2), 2, true);
            CodeReader codes = {.reader = reader};
            flags = number(reader, 1);
            skip_to(reader, reader->at + colour_bytes((int)flags));
            if (!has_all_pixels(&codes, width * height))
                encoding->fault = "lacks pixels of a frame";
            if (++frames > MAX_FRAMES) /* libvips drops the others */
                encoding->fault = "has more than 4096 frames; cof video reads such a file";
            skip_to(reader, reader->at + codes.block);
        }
        skip_blocks(reader);
        if (reader->failed)
            encoding->fault = "is cut off in a frame";
    }
}

/* JPEG XL: ISO/IEC 18181-1 */

/* Skips the width and the height of an image. `kinds` is about any sizes and about multiples of 8:
 * how many bits select a number of bits, and these numbers. */
static void skip_sides(CodeReader *bits, const int kinds[2][5])
{
    const int *kind = kinds[next_code(bits, 1)];
    next_code(bits, kind[1 + next_code(bits, kind[0])]);
    if (next_code(bits, 3) == 0) /* else the ratio tells the width */
        next_code(bits, kind[1 + next_code(bits, kind[0])]);
}

static bool is_animated(Reader *reader)
{
    static const int image[2][5] = {{2, 9, 13, 18, 30}, {0, 5}};
    static const int preview[2][5] = {{2, 6, 8, 10, 12}, {2, 0, 0, 5, 9}};
    enum { ORIENTATION_BITS = 3 };
    CodeReader bits = {.reader = reader, .block = UINT64_MAX};
    skip_sides(&bits, image);
    if (next_code(&bits, 1) == 1 || next_code(&bits, 1) == 0) /* all defaults, or no extra fields */
        return false;
    next_code(&bits, ORIENTATION_BITS);
    if (next_code(&bits, 1) == 1) /* the size that it is to be shown with */
        skip_sides(&bits, image);
    if (next_code(&bits, 1) == 1)
        skip_sides(&bits, preview);
    return next_code(&bits, 1) == 1;
}

/* libvips before 8.16 shows only a part of one frame. */
static void read_jxl(Reader *reader, Encoding *encoding)
{
    enum { CODESTREAM = 0xff0a, WHOLE = NAME('j', 'x', 'l', 'c'), PART = NAME('j', 'x', 'l', 'p') };
    Box box = {.type = number(reader, 2) == CODESTREAM ? WHOLE : 0};
    skip_to(reader, 0);
    for (int i = 0; i < MAX_PARTS && box.type != WHOLE && box.type != PART; i++) {
        skip_to(reader, box.end);
        if (!next_box(reader, INT64_MAX, &box))
            return;
    }
    if (box.type == PART)
        number(reader, 4); /* which part it is */
    if (number(reader, 2) == CODESTREAM && is_animated(reader) && vips_version(1) < 16)
        encoding->fault = "is animated, which libvips reads only from version 8.16 on";
}

/* PPM */

/* The next number in text, after blanks and comments, and its digits. */
static uint64_t text_number(Reader *reader, int *digits)
{
    uint64_t value = 0, c = number(reader, 1);
    for (bool comment = false; !reader->failed; c = number(reader, 1)) {
        comment = comment ? c != '\n' : c == '#';
        if (!comment && !g_ascii_isspace((char)c))
            break;
    }
    for (*digits = 0; g_ascii_isdigit((char)c) && *digits < 9; ++*digits) {
        value = value * 10 + (c - '0');
        c = number(reader, 1);
    }
    return value;
}

/* Plain files: libvips shows what it finds, and bitmaps with digits that are not separated wrong.
 */
static void read_plain_samples(Reader *reader, uint64_t n, bool is_bitmap, Encoding *encoding)
{
    int digits;
    for (; n > 0 && !encoding->fault; n--) {
        text_number(reader, &digits);
        if (digits == 0)
            encoding->fault = too_short;
        else if (is_bitmap && digits > 1)
            encoding->fault = "is a plain bitmap without blanks between its digits, which libvips "
                              "cannot read; convert it to binary PBM or to PNG";
    }
}

/* P1 to P6. libvips does not scale samples whose largest value is not that of 8 or 16 bits. */
static void read_ppm(Reader *reader, int kind, Encoding *encoding)
{
    int digits;
    skip_to(reader, 2);
    uint64_t width = text_number(reader, &digits), height = text_number(reader, &digits);
    uint64_t samples = width * height * (kind % 3 == 0 ? 3 : 1);
    bool is_bitmap = kind == 1 || kind == 4;
    uint64_t white = is_bitmap ? 0 : text_number(reader, &digits);
    encoding->white = white <= UINT16_MAX ? (int)white : 0;
    if (!is_bitmap && white != UINT8_MAX && white != UINT16_MAX)
        encoding->gdal_fault = "has another largest value than 255 or 65535, which GDAL ignores";
    if (kind <= 3) {
        read_plain_samples(reader, samples, is_bitmap, encoding);
        return;
    }
    skip_to(reader, reader->at + (is_bitmap           ? (width + 7) / 8 * height
                                  : white > UINT8_MAX ? samples * 2
                                                      : samples));
    if (is_bitmap && (fseeko(reader->file, -1, SEEK_CUR) != 0 || getc(reader->file) == EOF))
        encoding->fault = too_short;
    else if (getc(reader->file) == 'P')
        encoding->not_read = "the further images of the file";
}

/* OpenEXR: an attribute of the header lists the channels: a name, a type and more of each. */
static void read_exr(Reader *reader, Encoding *encoding)
{
    static const char *const read[] = {"R", "G", "B", "Y", "A", "RY", "BY", NULL};
    static const char list[] = "channels\0chlist"; /* and its zero, and its size of 4 bytes */
    enum { FLAGS = 5, HAS_PARTS = 0x10, FLOAT = 2, CHANNEL = 16, SIZE = 1 << 14 };
    char start[SIZE + sizeof list + CHANNEL] = {0};
    size_t n = fread(start, 1, SIZE, reader->file), at = 0;
    bool has_colours = false, has_others = false, has_floats = false;
    while (at < n && memcmp(start + at, list, sizeof list) != 0)
        at++;
    at += sizeof list + 4;
    for (; at < n && start[at] != '\0'; at += CHANNEL) {
        const char *name = start + at;
        at += strlen(name) + 1;
        bool is_colour = strlen(name) == 1 && strchr("RGBY", *name);
        has_colours |= is_colour;
        has_others |= !g_strv_contains(read, name);
        has_floats |= is_colour && start[at] == FLOAT;
    }
    if (at < n && !has_colours)
        encoding->fault = "has no channel R, G, B or Y, so that libvips would show black";
    encoding->not_read = start[FLAGS] & HAS_PARTS ? "the further parts of the file"
                         : has_others             ? "the channels that are no colours"
                         : has_floats             ? "the last 13 of the 24 bits of its floats"
                                                  : NULL;
}

static Encoding read_and_close(FILE *file)
{
    Encoding encoding = {0};
    Reader reader = {.file = file};
    uint8_t start[12];
    if (!file)
        return encoding;
    bool is_whole = fread(start, 1, sizeof start, file) == sizeof start;
    skip_to(&reader, 0);
    if (!is_whole)
        ; /* all unknown */
    else if (start[0] == 0xff && start[1] == 0xd8)
        read_jpeg(&reader, &encoding);
    else if (memcmp(start, "\x89PNG", 4) == 0)
        read_png(&reader, &encoding);
    else if (memcmp(start, "GIF8", 4) == 0)
        read_gif(&reader, &encoding);
    else if (start[0] == 'P' && start[1] >= '1' && start[1] <= '6')
        read_ppm(&reader, start[1] - '0', &encoding);
    else if (memcmp(start, "\x76\x2f\x31\x01", 4) == 0)
        read_exr(&reader, &encoding);
    else if (memcmp(start + 4, "ftyp", 4) == 0)
        read_boxes(&reader, INT64_MAX, 3, &encoding);
    else if (memcmp(start + 4, "jP  ", 4) == 0)
        read_jpeg2000(&reader, &encoding);
    else if (start[0] == 'B' && start[1] == 'M')
        read_bmp(&reader, &encoding);
    else if ((start[0] == 0xff && start[1] == 0x0a) || memcmp(start + 4, "JXL ", 4) == 0)
        read_jxl(&reader, &encoding);
    else if (memcmp(start, "SIMPLE", 6) == 0)
        read_fits(&reader, &encoding);
    else if (memcmp(start, "RIFF", 4) == 0 && memcmp(start + 8, "WEBP", 4) == 0)
        encoding.lossless = is_webp_lossless(&reader);
    fclose(file);
    return encoding;
}

Encoding encoding_of_file(const char *path)
{
    return read_and_close(path_is_special(path) ? NULL : fopen(path, "rb"));
}

Encoding encoding_of_bytes(void *bytes, size_t size)
{
    return read_and_close(size > 0 ? fmemopen(bytes, size, "rb") : NULL);
}

static const char key[] = "cof-encoding";

void encoding_store(VipsImage *image, Encoding encoding)
{
    g_object_set_data_full(G_OBJECT(image), key, g_memdup2(&encoding, sizeof encoding), g_free);
}

Encoding encoding_of_image(VipsImage *image)
{
    const Encoding *encoding = g_object_get_data(G_OBJECT(image), key);
    return encoding ? *encoding : (Encoding){0};
}
