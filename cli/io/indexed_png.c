/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG files with a palette: libvips writes the indices as a grey image, metadata included, which
 * becomes an indexed one when its header says so and a palette follows. */
#include "io/indexed_png.h"

#include <gio/gio.h>
#include <string.h>

#include "io/save_options.h"

#define META_INDEXED "cof-indexed"

enum { MAX_COLOURS = 256, SIGNATURE = 8, HEADER = 13, AROUND = 12 /* length, name, checksum */ };

/* The colours of an image, R, G, B and alpha, in the order in which they were found. */
typedef struct Colours {
    uint8_t rgba[MAX_COLOURS][4];
    int n;
} Colours;

void indexed_png_want(VipsImage *image)
{
    vips_image_set_int(image, META_INDEXED, 1);
}

bool indexed_png_is_wanted(VipsImage *image, const char *name)
{
    return vips_image_get_typeof(image, META_INDEXED) != 0 && save_is(name, "pngsave");
}

/* The index of a colour, which is that of the pixel before most of the time; -1: one too many. */
static int find_colour(Colours *colours, const uint8_t rgba[4], int last)
{
    if (last < colours->n && memcmp(colours->rgba[last], rgba, 4) == 0)
        return last;
    for (int i = 0; i < colours->n; i++)
        if (memcmp(colours->rgba[i], rgba, 4) == 0)
            return i;
    if (colours->n == MAX_COLOURS)
        return -1;
    memcpy(colours->rgba[colours->n], rgba, 4);
    return colours->n++;
}

/* Finds the colours of an image with 8 bits, and the index of each pixel. Returns false if there
 * are too many. */
static bool find_indices(VipsImage *image, Colours *colours, uint8_t *indices)
{
    int bands = image->Bands, last = 0;
    const uint8_t *pixel = VIPS_IMAGE_ADDR(image, 0, 0);
    for (size_t i = 0; i < VIPS_IMAGE_N_PELS(image) && last >= 0; i++, pixel += bands) {
        uint8_t alpha = bands % 2 == 0 ? pixel[bands - 1] : UINT8_MAX;
        int green = bands > 2 ? 1 : 0;
        uint8_t rgba[4] = {pixel[0], pixel[green], pixel[2 * green], alpha};
        if (alpha == 0)
            memset(rgba, 0, sizeof rgba);
        last = find_colour(colours, rgba, last);
        indices[i] = (uint8_t)last;
    }
    return last >= 0;
}

static int bits_for(int n)
{
    return n <= 2 ? 1 : n <= 4 ? 2 : n <= 16 ? 4 : 8;
}

/* The image with 8 bits in memory; NULL: it is neither grey nor RGB, or its profile is not one of
 * RGB, which a palette needs. */
static VipsImage *to_bytes(VipsImage *image)
{
    const void *profile = NULL;
    size_t size = 0;
    VipsImage *bytes = NULL, *memory = NULL;
    bool is_word = image->BandFmt == VIPS_FORMAT_USHORT;
    bool has_profile = vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0 &&
                       vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &size) == 0;
    if ((!is_word && image->BandFmt != VIPS_FORMAT_UCHAR) || image->Bands > 4 ||
        image->Type == VIPS_INTERPRETATION_CMYK ||
        (has_profile && (size < 20 || memcmp((const char *)profile + 16, "RGB ", 4) != 0)))
        return NULL;
    if (!is_word)
        return vips_image_copy_memory(image);
    if (vips_linear1(image, &bytes, 1 / 257.0, 0.5, "uchar", TRUE, NULL) == 0)
        memory = vips_image_copy_memory(bytes);
    VIPS_UNREF(bytes);
    return memory;
}

static void *copy_field(VipsImage *image, const char *name, GValue *value, void *to)
{
    (void)image;
    if (vips_image_get_typeof(to, name) == 0 && strcmp(name, VIPS_META_ICC_NAME) != 0 &&
        strcmp(name, "background") != 0)
        vips_image_set(to, name, value);
    return NULL;
}

/* Writes the indices as a grey PNG with the metadata of the image. With libpng, libvips stores the
 * low bits of each byte, with spng the high bits: both are the index. */
static int encode_grey(VipsImage *image, uint8_t *indices, int bits, const char *suffix,
                       void **bytes, size_t *size)
{
    size_t pixels = VIPS_IMAGE_N_PELS(image);
    VipsImage *grey = NULL;
    for (size_t i = 0; i < pixels; i++)
        indices[i] = (uint8_t)(indices[i] * (UINT8_MAX / ((1 << bits) - 1)));
    VipsImage *rows = vips_image_new_from_memory(indices, pixels, image->Xsize, image->Ysize, 1,
                                                 VIPS_FORMAT_UCHAR);
    int failed = !rows || vips_copy(rows, &grey, "interpretation", VIPS_INTERPRETATION_B_W, "xres",
                                    image->Xres, "yres", image->Yres, NULL);
    if (!failed) {
        vips_image_map(image, copy_field, grey);
        failed = vips_image_write_to_buffer(grey, suffix, bytes, size, "bitdepth", bits, NULL);
    }
    VIPS_UNREF(grey);
    VIPS_UNREF(rows);
    return failed;
}

static uint32_t checksum(const uint8_t *bytes, size_t n)
{
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return ~sum;
}

static void put_number(uint8_t *to, uint32_t number)
{
    number = GUINT32_TO_BE(number);
    memcpy(to, &number, sizeof number);
}

static uint32_t number_at(const uint8_t *from)
{
    uint32_t number;
    memcpy(&number, from, sizeof number);
    return GUINT32_FROM_BE(number);
}

static void append_chunk(GByteArray *png, const char *name, const uint8_t *bytes, size_t n)
{
    guint start = png->len;
    g_byte_array_set_size(png, start + AROUND + (guint)n);
    uint8_t *chunk = png->data + start;
    put_number(chunk, (uint32_t)n);
    memcpy(chunk + 4, name, 4);
    memcpy(chunk + 8, bytes, n);
    put_number(chunk + 8 + n, checksum(chunk + 4, 4 + n));
}

/* A name, a zero, the method and the compressed profile. */
static void append_profile(GByteArray *png, VipsImage *image)
{
    static const uint8_t start[] = "ICC profile\0";
    const void *profile;
    size_t size, n_read, n_written;
    if (vips_image_get_typeof(image, VIPS_META_ICC_NAME) == 0 ||
        vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &size) != 0)
        return;
    size_t most = size + size / 100 + 64;
    uint8_t *bytes = g_malloc(sizeof start + most);
    memcpy(bytes, start, sizeof start);
    GConverter *zip = G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB, -1));
    if (g_converter_convert(zip, profile, size, bytes + sizeof start, most,
                            G_CONVERTER_INPUT_AT_END, &n_read, &n_written,
                            NULL) == G_CONVERTER_FINISHED)
        append_chunk(png, "iCCP", bytes, sizeof start + n_written);
    g_object_unref(zip);
    g_free(bytes);
}

static void append_palette(GByteArray *png, const Colours *colours)
{
    uint8_t rgb[3 * MAX_COLOURS], alphas[MAX_COLOURS];
    int n_alphas = 0; /* those after the last one that is not opaque are left out */
    for (int i = 0; i < colours->n; i++) {
        memcpy(rgb + 3 * i, colours->rgba[i], 3);
        alphas[i] = colours->rgba[i][3];
        if (alphas[i] < UINT8_MAX)
            n_alphas = i + 1;
    }
    append_chunk(png, "PLTE", rgb, 3 * (size_t)colours->n);
    if (n_alphas > 0)
        append_chunk(png, "tRNS", alphas, (size_t)n_alphas);
}

/* Makes a grey PNG an indexed one: the chunks before the pixels, the profile of an image (NULL:
 * none), the palette, the others. */
static GByteArray *with_palette(const uint8_t *grey, size_t size, VipsImage *profiled,
                                const Colours *colours)
{
    enum { INDEXED = 3, KIND = 9 /* in the header */ };
    uint8_t header[HEADER];
    size_t at = SIGNATURE + AROUND + HEADER, start = at;
    GByteArray *png = g_byte_array_sized_new((guint)size + 2048);
    memcpy(header, grey + SIGNATURE + 8, HEADER);
    header[KIND] = INDEXED;
    g_byte_array_append(png, grey, SIGNATURE);
    append_chunk(png, "IHDR", header, HEADER);
    while (at + AROUND <= size && memcmp(grey + at + 4, "IDAT", 4) != 0)
        at += AROUND + number_at(grey + at);
    g_byte_array_append(png, grey + start, (guint)(at - start));
    if (profiled)
        append_profile(png, profiled);
    append_palette(png, colours);
    g_byte_array_append(png, grey + at, (guint)(size - at));
    return png;
}

/* Whether the user's options say what only libvips can do. */
static bool is_left_to_libvips(const char *suffix)
{
    return save_options_set(suffix, "palette") || save_options_set(suffix, "profile") ||
           save_options_set(suffix, "keep");
}

int indexed_png_encode(VipsImage *image, const char *suffix, void **bytes, size_t *size)
{
    VipsImage *memory = is_left_to_libvips(suffix) ? NULL : to_bytes(image);
    Colours colours = {.n = 0};
    uint8_t *indices = memory ? g_try_malloc(VIPS_IMAGE_N_PELS(memory)) : NULL;
    void *grey = NULL;
    size_t grey_size = 0;
    int failed;
    if (indices && find_indices(memory, &colours, indices)) {
        failed = encode_grey(memory, indices, bits_for(colours.n), suffix, &grey, &grey_size);
        if (!failed) {
            VipsImage *profiled = save_options_set(suffix, "strip") ? NULL : memory;
            GByteArray *png = with_palette(grey, grey_size, profiled, &colours);
            *size = png->len;
            *bytes = g_byte_array_free(png, FALSE);
        }
        g_free(grey);
    } else {
        failed = vips_image_write_to_buffer(image, suffix, bytes, size, NULL);
    }
    g_free(indices);
    VIPS_UNREF(memory);
    return failed;
}
