/* SPDX-License-Identifier: BSD-2-Clause */
/* The options with which libvips writes an image: like the input where that is possible. */
#include "io/save_options.h"

#include <string.h>
#include <tiff.h>

#include "io/formats.h"
#include "io/paths.h"

bool save_is(const char *name, const char *savers)
{
    const char *type = format_saver(name);
    char *saver = g_strdup(type ? vips_nickname_find(g_type_from_name(type)) : "");
    saver[strcspn(saver, "_")] = '\0'; /* of jpegsave_target */
    bool found = *saver != '\0' && strstr(savers, saver);
    g_free(saver);
    return found;
}

bool save_has_suffix(const char *name, const char *suffix)
{
    char *path = image_path_of_output(name);
    bool found = vips_iscasepostfix(path, suffix);
    g_free(path);
    return found;
}

bool save_has_quality(const char *name)
{
    return save_is(name, "jpegsave webpsave heifsave jxlsave jp2ksave");
}

bool save_has_alpha(const char *name)
{
    return !save_is(name, "jpegsave ppmsave radsave");
}

/* The value that the user gave to an option, "" if only its name; NULL if it is not set. libvips
 * takes - for _ in names. */
static char *save_options_value(const char *options, const char *option)
{
    char *value = NULL, **words = g_strsplit_set(options, "[],", -1);
    for (int i = 0; words[i] && !value; i++) {
        char *name = g_strstrip(words[i]);
        size_t length = strcspn(name, "= ");
        char *key = g_strdelimit(g_strndup(name, length), "_", '-');
        if (strcmp(key, option) == 0)
            value = g_strdup(name + length + strspn(name + length, "= \""));
        g_free(key);
    }
    g_strfreev(words);
    return value;
}

bool save_options_set(const char *options, const char *option)
{
    char *value = save_options_value(options, option);
    bool is_set = value != NULL;
    g_free(value);
    return is_set;
}

/* The options of the user, and those that are added. */
typedef struct OptionList {
    const char *given; /* in brackets, or "" */
    GString *added;
} OptionList;

/* The user's value of an option stays. */
static void add(OptionList *list, const char *option, const char *value)
{
    if (save_options_set(list->given, option))
        return;
    g_string_append_printf(list->added, "%s%s=%s", list->added->len > 0 ? "," : "", option, value);
}

static void add_number(OptionList *list, const char *option, int value)
{
    char text[16];
    g_snprintf(text, sizeof text, "%d", value);
    add(list, option, text);
}

/* What libvips cannot write is written with deflate. */
static const char *tiff_compression(int number, bool is_photo)
{
    switch (number) {
    case COMPRESSION_NONE:
        return "none";
    case COMPRESSION_LZW:
        return "lzw";
    case COMPRESSION_PACKBITS:
        return "packbits";
    case COMPRESSION_ZSTD:
        return "zstd";
    case COMPRESSION_JPEG:
        return is_photo ? "jpeg" : "deflate";
    case COMPRESSION_WEBP:
        return is_photo ? "webp" : "deflate";
    default:
        return "deflate";
    }
}

/* The sides of TIFF tiles are multiples of 16, which some writers ignore. */
static bool is_tile_size(int size)
{
    enum { MAX_TILE = 4096 };
    return size > 0 && size <= MAX_TILE && size % 16 == 0;
}

static void add_tiff_options(OptionList *list, VipsImage *image, const Encoding *input)
{
    const TiffLayout *tiff = &input->tiff;
    bool is_photo = image->BandFmt == VIPS_FORMAT_UCHAR && (image->Bands == 1 || image->Bands == 3);
    bool is_float = vips_band_format_isfloat(image->BandFmt);
    if (tiff->compression == 0 || save_options_set(list->given, "compression"))
        return;
    const char *compression = tiff_compression(tiff->compression, is_photo);
    add(list, "compression", compression);
    if (strcmp(compression, "jpeg") == 0 || strcmp(compression, "webp") == 0)
        add_number(list, "Q", input->quality > 0 ? input->quality : DEFAULT_QUALITY);
    else if (tiff->predictor == 1 || (tiff->predictor == 3) != is_float)
        add(list, "predictor", "none");
    else
        add(list, "predictor", is_float ? "float" : "horizontal");
    if (is_tile_size(tiff->tile_width) && is_tile_size(tiff->tile_height)) {
        add(list, "tile", "true");
        add_number(list, "tile-width", tiff->tile_width);
        add_number(list, "tile-height", tiff->tile_height);
    }
}

/* "[lossless]" and "[lossless=true]", but not "[lossless=false]". */
static bool is_lossless(const char *options)
{
    char *value = save_options_value(options, "lossless");
    bool lossless = value && g_ascii_strcasecmp(value, "false") != 0 && strcmp(value, "0") != 0;
    g_free(value);
    return lossless;
}

char *save_options(const char *name, const char *options, VipsImage *image, const Encoding *input,
                   int quality)
{
    OptionList list = {.given = options, .added = g_string_new(NULL)};
    bool lossless = is_lossless(options);
    if (save_is(name, "tiffsave")) {
        add_tiff_options(&list, image, input);
    } else if (save_is(name, "webpsave") && input->lossless && quality == 0 &&
               !save_options_set(options, "Q")) {
        add(&list, "lossless", "true");
    } else if (save_has_quality(name) && !lossless) {
        int own = input->quality > 0 ? input->quality : DEFAULT_QUALITY;
        if (!save_options_set(options, "distance"))
            add_number(&list, "Q", quality > 0 ? quality : own);
        if (save_is(name, "webpsave"))
            add(&list, "smart-subsample", "true");
        else if (!save_is(name, "jxlsave")) /* a subsampled input has no finer chroma to lose */
            add(&list, "subsample-mode", input->chroma == CHROMA_420 ? "on" : "off");
    }
    if (save_has_suffix(name, ".pbm") &&
        image->Xsize % 8 != 0) /* libvips 8.14 shifts the last bits of rows */
        add(&list, "ascii", "true");
    bool is_deep = input->bit_depth == 10 || input->bit_depth == 12;
    if (save_is(name, "heifsave") && is_deep && image->BandFmt == VIPS_FORMAT_USHORT)
        add_number(&list, "bitdepth", input->bit_depth); /* libvips reads 16 and would write 12 */
    size_t length = strlen(options);
    char *all = list.added->len == 0 ? g_strdup(options)
                : length <= 2
                    ? g_strdup_printf("[%s]", list.added->str)
                    : g_strdup_printf("%.*s,%s]", (int)length - 1, options, list.added->str);
    g_string_free(list.added, TRUE);
    return all;
}
