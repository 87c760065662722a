/* SPDX-License-Identifier: BSD-2-Clause */
/* Which reader takes which format: the table in formats.def. */
#include "io/formats.h"

#include <stdio.h>
#include <string.h>
#include <vips/vips.h>

#include "io/paths.h"
#include "ui/message_stream.h"

enum { STREAMED = 1, SAVED = 2 };

static const Format table[] = {
#define FORMAT(reader, name, readers, suffixes, how) \
    {name, FORMAT_##reader, readers, suffixes, ((how)&STREAMED) != 0, ((how)&SAVED) != 0},
#include "io/formats.def"
};

const char *const allow_reader_words[] = {"magick", "openslide", NULL};

/* The word of --allow-reader, or NULL. */
static const char *allowed_word;

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool is_allowed(const Format *format)
{
    return format->reader == FORMAT_VIPS || format->reader == FORMAT_BYTES ||
           (format->reader == FORMAT_ASKED && g_strcmp0(format->name, allowed_word) == 0);
}

/* Whether the table has a loader of libvips, by its class. */
static bool allows_loader(const char *class_name)
{
    static const char before[] = "VipsForeignLoad";
    if (!g_str_has_prefix(class_name, before))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if (is_allowed(&table[i]) && has_word(table[i].readers, class_name + strlen(before)))
            return true;
    return false;
}

static void *block_unless_allowed(VipsObjectClass *class, void *unused)
{
    (void)unused;
    const char *name = G_OBJECT_CLASS_NAME(class);
    if (!G_TYPE_IS_ABSTRACT(G_OBJECT_CLASS_TYPE(class)) && !allows_loader(name))
        vips_operation_block_set(name, TRUE);
    return NULL;
}

void formats_init(const char *allowed)
{
    allowed_word = allowed;
    vips_class_map_all(g_type_from_name("VipsForeignLoad"), (VipsClassMapFn)block_unless_allowed,
                       NULL);
    if (g_strcmp0(allowed, "magick") != 0)
        vips_operation_block_set("VipsForeignSaveMagick", TRUE);
}

/* Whether a path ends with a suffix of the format. */
static bool has_suffix(const char *path, const Format *format)
{
    char **suffixes = g_strsplit(format->suffixes, " ", -1);
    bool found = false;
    for (char **suffix = suffixes; *suffix && !found; suffix++)
        found = **suffix != '\0' && vips_iscasepostfix(path, *suffix);
    g_strfreev(suffixes);
    return found;
}

/* The class of a loader, if this build of libvips has it; to be unref'd. */
static VipsForeignLoadClass *loader_class(const char *loader)
{
    char *name = g_strconcat("VipsForeignLoad", loader, NULL);
    GType type = g_type_from_name(name);
    g_free(name);
    return type ? g_type_class_ref(type) : NULL;
}

/* Whether a loader takes the file. cfitsio would unpack each file of gzip, zip and compress into
 * memory, whatever its size. */
static bool takes_file(const VipsForeignLoadClass *class, const char *path)
{
    bool is_fits = strcmp(VIPS_OBJECT_CLASS(class)->nickname, "fitsload") == 0;
    return class->is_a && (!is_fits || path_begins_with(path, "SIMPLE", 6)) && class->is_a(path);
}

/* The operation of the first loader of a format that takes the file, or any (path NULL); NULL:
 * none. */
static const char *operation_for(const Format *format, const char *path)
{
    char **loaders = g_strsplit(format->readers, " ", -1);
    const char *operation = NULL;
    for (char **loader = loaders; *loader && !operation; loader++) {
        VipsForeignLoadClass *class = loader_class(*loader);
        if (!class)
            continue;
        if (!path ||
            (format->reader == FORMAT_BYTES ? has_suffix(path, format) : takes_file(class, path)))
            operation = VIPS_OBJECT_CLASS(class)->nickname;
        g_type_class_unref(class);
    }
    g_strfreev(loaders);
    return operation;
}

const Format *format_of_file(const char *path, const char **operation)
{
    *operation = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(table) && !path_is_special(path); i++) {
        if (is_allowed(&table[i]))
            *operation = operation_for(&table[i], path);
        if (*operation)
            return &table[i];
    }
    vips_error_clear(); /* a loader that does not take the file may have set one */
    return NULL;
}

const char *video_formats(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if (table[i].reader == FORMAT_VIDEO)
            return table[i].readers;
    return "";
}

const Format *format_elsewhere(const char *path)
{
    static const struct {
        const char *format, *start;
        size_t size;
    } starts[] = {{"BMP", "BM", 2},
                  {"JPEG 2000", "\0\0\0\fjP  ", 8},
                  {"JPEG 2000", "\xff\x4f\xff\x51", 4},
                  {"PDF", "%PDF", 4},
                  {"SVG", "<svg", 4},
                  {"SVG", "<?xml", 5}};
    const char *name = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(starts) && !name; i++)
        if (path_begins_with(path, starts[i].start, starts[i].size))
            name = starts[i].format;
    for (size_t i = 0; i < G_N_ELEMENTS(table) && name; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* The header of an ENVI raster has the suffix of Radiance files. */
bool format_is_image_name(const char *path)
{
    bool exists = g_file_test(path, G_FILE_TEST_IS_REGULAR);
    if (exists && vips_iscasepostfix(path, ".hdr") && !path_begins_with(path, "#?", 2))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if ((table[i].reader == FORMAT_VIPS || table[i].reader == FORMAT_GDAL) &&
            has_suffix(path, &table[i]))
            return true;
    return false;
}

const char *format_saver(const char *name)
{
    char *path = image_path_of_output(name);
    bool saved = g_strcmp0(allowed_word, "magick") == 0;
    for (size_t i = 0; i < G_N_ELEMENTS(table) && !saved; i++)
        saved = table[i].is_saved && has_suffix(path, &table[i]);
    g_free(path);
    const char *saver = saved ? vips_foreign_find_save(name) : NULL;
    if (saved && !saver)
        saver = vips_foreign_find_save_target(name);
    vips_error_clear();
    return saver;
}

const Format *written_format(const char *name, const char *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if (table[i].reader == FORMAT_WRITTEN &&
            (!name || g_ascii_strcasecmp(name, table[i].name) == 0) &&
            (!path || has_suffix(path, &table[i])))
            return &table[i];
    return NULL;
}

bool raster_format_is_read(const char *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if (table[i].reader == FORMAT_COMMON && has_suffix(path, &table[i]))
            return true;
    return false;
}

/* The suffixes with which a format is written. */
static void print_written(FILE *to, const Format *format)
{
    char **suffixes = g_strsplit(format->suffixes, " ", -1);
    GString *written = g_string_new(NULL);
    for (char **suffix = suffixes; *suffix; suffix++)
        if (**suffix != '\0' && format_saver(*suffix))
            g_string_append_printf(written, " %s", *suffix);
    fprintf(to, written->len > 0 ? "; written as%s\n" : "; not written\n", written->str);
    g_string_free(written, TRUE);
    g_strfreev(suffixes);
}

void formats_print(void)
{
    FILE *to = message_output();
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        const Format *f = &table[i];
        bool is_vips = f->reader == FORMAT_VIPS || f->reader == FORMAT_BYTES;
        const char *missing = (is_vips || f->reader == FORMAT_ASKED) && !operation_for(f, NULL)
                                  ? ", which has no such reader here"
                                  : "";
        if (is_vips || f->reader == FORMAT_GDAL)
            fprintf(to, "%s: read by %s%s", f->name, is_vips ? "libvips" : "GDAL", missing);
        if (f->reader == FORMAT_VIPS || (f->reader == FORMAT_GDAL && f->suffixes[0] != '\0'))
            print_written(to, f);
        else if (f->reader == FORMAT_GDAL)
            fprintf(to, ": %s\n", f->readers);
        else if (f->reader == FORMAT_BYTES)
            fprintf(to, ", if named %s; not written\n", f->suffixes);
        else if (f->reader == FORMAT_ASKED)
            fprintf(to, "with --allow-reader %s: read by libvips%s\n", f->name, missing);
        else if (f->reader == FORMAT_NAMED)
            fprintf(to, "%s: read by GDAL, if named %s\n", f->readers, f->suffixes);
        else if (f->reader == FORMAT_COMMON)
            fprintf(
                to,
                "other rasters: read by GDAL, if named as GDAL says for their format, such as %s\n",
                f->suffixes);
        else if (f->reader == FORMAT_WRITTEN)
            fprintf(to, "rasters as %s: written by GDAL as %s\n", f->name, f->suffixes);
        else if (f->reader == FORMAT_VIDEO)
            fprintf(to, "%s: read by ffmpeg, with cof video: %s\n", f->name, f->readers);
    }
}
