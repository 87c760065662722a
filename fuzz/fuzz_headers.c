/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: what the command reads of files without decoding pixels. The input is an image file,
 * a block of metadata, the text of a matrix or a .cof file, by its first bytes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vips/vips.h>

#include "fuzz.h"
#include "image_input.h"
#include "io/atomic_file.h"
#include "io/cof_file.h"
#include "io/encoding.h"
#include "io/formats.h"
#include "io/image_file.h"
#include "io/pages.h"
#include "io/paths.h"
#include "io/tiff_facts.h"

/* One file without a name for all inputs. */
static int file = -1;
static char path[32];

static void store_input(const uint8_t *data, size_t size)
{
    if (file < 0) {
        file = unnamed_file_new();
        CHECK(file >= 0);
        snprintf(path, sizeof path, "/dev/fd/%d", file);
    }
    CHECK(pwrite(file, data, size, 0) == (ssize_t)size && ftruncate(file, (off_t)size) == 0);
}

/* Words of the program, not of the file. */
static void check_words(const char *text)
{
    for (; text && *text != '\0'; text++)
        CHECK(*text >= ' ' && *text <= '~');
}

static void check_encoding(const Encoding *e)
{
    CHECK(e->quality >= 0 && e->quality <= 100);
    CHECK(e->chroma >= CHROMA_UNKNOWN && e->chroma <= CHROMA_OTHER);
    CHECK(e->bit_depth == 0 || (e->bit_depth >= 8 && e->bit_depth <= 15));
    CHECK(e->orientation >= 0 && e->orientation <= 8);
    CHECK(e->width >= 0 && e->width <= 65535 && e->height >= 0 && e->height <= 65535);
    check_words(e->fault);
    check_words(e->gdal_fault);
    check_words(e->not_read);
}

/* The tables of JPEG and the start of WebP are also read from memory, in TIFF files. */
static void check_bytes(const Encoding *of_file, const uint8_t *data, size_t size)
{
    bool is_jpeg = size >= 2 && data[0] == 0xff && data[1] == 0xd8;
    bool is_webp = size >= 4 && memcmp(data, "RIFF", 4) == 0;
    if (!is_jpeg && !is_webp)
        return;
    uint8_t *copy = g_memdup2(data, size);
    Encoding e = encoding_of_bytes(copy, size);
    g_free(copy);
    CHECK(e.quality == of_file->quality && e.chroma == of_file->chroma);
    CHECK(e.lossless == of_file->lossless && e.not_read == of_file->not_read);
}

static void check_range(const PageLayout *layout, const PageRange *range)
{
    int position = -1, n = 0;
    bool found = page_layout_find(layout, range, &position, &n);
    CHECK(found == (*vips_error_buffer() == '\0'));
    vips_error_clear();
    CHECK(!found || (n >= 1 && n <= layout->n && n <= MAX_PAGES && position >= 0));
    CHECK(!found || n == 1 || !layout->mixed);
}

static void check_layout(const PageLayout *layout)
{
    const PageRange ranges[] = {{0},
                                {1, 1, false},
                                {1, 1, true},
                                {2, 3, false},
                                {layout->n, layout->n, false},
                                {1, layout->n, false}};
    CHECK(layout->n >= 1);
    check_range(layout, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(ranges); i++)
        check_range(layout, &ranges[i]);
}

static void read_tiff(void)
{
    TiffFacts facts;
    if (!tiff_facts_read(path, 0, &facts))
        return;
    CHECK(facts.directories >= 1 && facts.layout.n <= facts.directories);
    for (int i = 0; i < facts.layout.n; i++)
        CHECK(facts.layout.position[i] < facts.directories &&
              facts.layout.position[i] > (i > 0 ? facts.layout.position[i - 1] : -1));
    CHECK(facts.described >= 0);
    check_words(facts.needs_gdal);
    check_words(facts.not_read);
    check_encoding(&facts.encoding);
    check_layout(&facts.layout);
    page_layout_free(&facts.layout);
}

/* Blocks of metadata */

static const char *const blocks[] = {VIPS_META_IPTC_NAME, VIPS_META_PHOTOSHOP_NAME,
                                     VIPS_META_XMP_NAME};

/* A pixel with the input in each field that the command looks into. */
static VipsImage *image_with_blocks(const uint8_t *data, size_t size, char *text)
{
    static const uint8_t pixel;
    VipsImage *image = vips_image_new_from_memory_copy(&pixel, 1, 1, 1, 1, VIPS_FORMAT_UCHAR);
    CHECK(image);
    for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++)
        vips_image_set_blob_copy(image, blocks[i], data, size);
    vips_image_set_blob_copy(image, "jpeg-thumbnail-data", data, size);
    vips_image_set_string(image, "exif-ifd1-Compression", text);
    vips_image_set_string(image, VIPS_META_IMAGEDESCRIPTION, text);
    return image;
}

static size_t block_size(VipsImage *image, const char *name, const void **bytes)
{
    size_t size = 0;
    *bytes = NULL;
    if (vips_image_get_typeof(image, name) != 0)
        CHECK(vips_image_get_blob(image, name, bytes, &size) == 0);
    return size;
}

/* What is left has no thumbnail, and nothing is taken twice. */
static void check_blocks(VipsImage *image, size_t size)
{
    VipsImage *again = without_thumbnails(image);
    const void *first, *second;
    CHECK(again && vips_image_get_typeof(image, "jpeg-thumbnail-data") == 0);
    CHECK(vips_image_get_typeof(image, "exif-ifd1-Compression") == 0);
    for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
        size_t n = block_size(image, blocks[i], &first);
        CHECK(n <= size && n == block_size(again, blocks[i], &second));
        CHECK(n == 0 || memcmp(first, second, n) == 0);
    }
    size_t n = block_size(image, VIPS_META_XMP_NAME, &first);
    CHECK(n == 0 || !memmem(first, n, "Thumbnails", strlen("Thumbnails")));
    g_object_unref(again);
}

static void read_blocks(const uint8_t *data, size_t size)
{
    char *text = g_strndup((const char *)data, size);
    CHECK(described_images(text) >= 0);
    VipsImage *image = image_with_blocks(data, size, text);
    VipsImage *clean = without_thumbnails(image);
    CHECK(clean);
    check_blocks(clean, size);
    remove_layout_description(clean);
    g_object_unref(clean);
    g_object_unref(image);
    g_free(text);
}

/* Text */

static void open_matrix(void *matrix)
{
    *(VipsImage **)matrix = matrix_file_open(path);
}

static void read_matrix(void)
{
    VipsImage *matrix = NULL;
    const char *lines = lines_of(open_matrix, &matrix);
    check_lines(lines, !matrix, path);
    if (!matrix)
        return;
    CHECK(matrix->Xsize == matrix->Ysize && matrix->Xsize > 0 && matrix->Bands == 1);
    g_object_unref(matrix);
}

/* Files of models */

typedef struct Loaded {
    const char *name;
    CofFile file;
    CofModel *model, *foreground;
    bool is_file, is_model, is_saved;
} Loaded;

static void load(void *data)
{
    Loaded *loaded = data;
    loaded->is_file = cof_file_load(loaded->name, &loaded->file);
}

static void save(void *data)
{
    Loaded *loaded = data;
    const CofFile *f = &loaded->file;
    loaded->is_saved = f->stats ? cof_file_save_stats(f->stats, loaded->name)
                                : cof_file_save_model(f->model, f->foreground, loaded->name);
}

static void load_model(void *data)
{
    Loaded *loaded = data;
    CofOptions options;
    cof_options_init(&options);
    loaded->is_model = cof_file_load_model(path, &options, &loaded->model, &loaded->foreground);
}

/* What was loaded can be saved and loaded again. */
static void save_and_load(Loaded *loaded)
{
    char *name = g_strdup_printf("%s/cof-fuzz-%ld.cof", g_get_tmp_dir(), (long)getpid());
    Loaded copy = {.name = name};
    loaded->name = name;
    const char *lines = lines_of(save, loaded);
    check_lines(lines, false, name);
    CHECK(loaded->is_saved);
    lines = lines_of(load, &copy);
    check_lines(lines, false, name);
    CHECK(copy.is_file && copy.file.kind == loaded->file.kind);
    cof_file_free(&copy.file);
    unlink(name);
    g_free(name);
}

static void read_cof_file(void)
{
    Loaded loaded = {.name = path};
    const char *lines = lines_of(load, &loaded);
    check_lines(lines, !loaded.is_file, path);
    lines = lines_of(load_model, &loaded);
    check_lines(lines, !loaded.is_model, path);
    CHECK(loaded.is_file || !loaded.is_model);
    if (loaded.is_file)
        save_and_load(&loaded);
    cof_file_free(&loaded.file);
    cof_model_free(&loaded.model);
    cof_model_free(&loaded.foreground);
}

/* The loaders of libvips look at files, too, and some of them take long. */
static void find_format(uint32_t sum)
{
    enum { ONE_IN = 64 };
    const char *operation;
    if (sum % ONE_IN == 0)
        CHECK((format_of_file(path, &operation) != NULL) == (operation != NULL));
    const Format *format = format_elsewhere(path);
    CHECK(!format || format->reader == FORMAT_BYTES || format->reader == FORMAT_GDAL);
    vips_error_clear(); /* which a loader may have set that does not take the file */
}

/* What names say, whatever the file holds: of the input, and of an output in its place. */
static void check_names(const char *name)
{
    char *owner = path_owner_of_companion(name), *identity = path_identity(name);
    char *in = image_path_of_input(name), *out = image_path_of_output(name);
    CHECK(!owner || g_str_has_prefix(name, owner));
    CHECK(!identity || path_is_same(name, name));
    CHECK(!(path_is_video(name) && format_is_image_name(name)));
    const Format *written = written_format(NULL, name);
    CHECK(!written || written_format(written->name, name) == written);
    raster_format_is_read(name);
    path_remove_companions(path);
    CHECK(!path_companion(path) && path_check_end(path));
    g_free(owner);
    g_free(identity);
    g_free(in);
    g_free(out);
}

/* Whether the input begins as one of these texts, which end with NULL. */
static bool begins_with(const uint8_t *data, size_t size, const char *const *starts)
{
    for (; *starts; starts++)
        if (size >= strlen(*starts) && memcmp(data, *starts, strlen(*starts)) == 0)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const starts[] = {"8BIM", "PHUT",    "MeSa", "AgHg",   "DCSR", "Photoshop",
                                         "<",    "ImageJ=", "{",    "shape=", "\x1c", NULL};
    uint32_t sum = 0;
    image_input_start();
    store_input(data, size);
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + data[i];
    Encoding encoding = encoding_of_file(path);
    check_encoding(&encoding);
    check_bytes(&encoding, data, size);
    read_tiff();
    find_format(sum);
    char *name = g_strndup((const char *)data, MIN(size, 64));
    check_names(name);
    g_free(name);
    if (begins_with(data, size, starts))
        read_blocks(data, size);
    else if (size > 0 && (g_ascii_isdigit(data[0]) || strchr("+-.,; ", data[0])))
        read_matrix();
    else if (cof_file_is(path))
        read_cof_file();
    return 0;
}
