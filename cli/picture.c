/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files to pixels in memory and back, through libvips. */
#include "picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that is being written; empty: none. */
static char unfinished[4096];

/* In one line, whatever the name holds. */
void complain(const char *name, const char *cause)
{
    char *line = g_strdup_printf("cof: %s: %s", name, cause);
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    fprintf(stderr, "%s\n", line);
    g_free(line);
}

/* libvips collects several lines, each with the name of an operation; the last tells most. */
static void complain_vips(const char *name, const char *otherwise)
{
    char *text = vips_error_buffer_copy();
    g_strchomp(text);
    char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    char *cause = strstr(line, ": ");
    complain(name, *line == '\0' ? otherwise : cause ? cause + 2 : line);
    g_free(text);
}

/* A value out of its range, in a file's header or a save option, is only warned of by GObject, and
 * then forgotten. Here it is an error. */
static char warning[256];

static void keep_warning(const char *domain, GLogLevelFlags level, const char *message, void *user)
{
    (void)domain, (void)level, (void)user;
    snprintf(warning, sizeof warning, "%s", message);
}

static unsigned listen(void)
{
    warning[0] = '\0';
    return g_log_set_handler("GLib-GObject", G_LOG_LEVEL_WARNING, keep_warning, NULL);
}

/* Was there a warning since listen()? Complains of it about `name`, unless that is NULL. */
static bool heard(unsigned handler, const char *name)
{
    g_log_remove_handler("GLib-GObject", handler);
    if (warning[0] != '\0' && name)
        complain(name, warning);
    return warning[0] != '\0';
}

/* Replaces *image by *result, which a step of its pipeline has made unless it failed. */
static bool replace(VipsImage **image, int status, VipsImage **result)
{
    g_object_unref(*image);
    *image = status == 0 ? *result : NULL;
    return status == 0;
}

static bool is_supported(VipsBandFormat format)
{
    return format == VIPS_FORMAT_UCHAR || format == VIPS_FORMAT_USHORT ||
           format == VIPS_FORMAT_FLOAT;
}

static VipsImage *open_file(const char *name)
{
    struct stat info;
    if (stat(name, &info) != 0) {
        complain(name, strerror(errno));
        return NULL;
    }
    if (S_ISDIR(info.st_mode)) {
        complain(name, "is a folder");
        return NULL;
    }
    unsigned handler = listen();
    VipsImage *image = vips_image_new_from_file(name, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
    if (!image)
        complain_vips(name, "cannot be decoded");
    if (heard(handler, image ? name : NULL) && image) {
        g_object_unref(image);
        return NULL;
    }
    return image;
}

/* Runs the pipeline; takes the reference. */
static VipsImage *into_memory(VipsImage *image, const char *name)
{
    VipsImage *pixels = image ? vips_image_copy_memory(image) : NULL;
    if (image && !pixels)
        complain_vips(name, "cannot be decoded");
    if (image)
        g_object_unref(image);
    return pixels;
}

VipsImage *picture_load(const char *name)
{
    VipsImage *image = open_file(name), *result = NULL;
    if (!image)
        return NULL;
    if (image->BandFmt == VIPS_FORMAT_DOUBLE &&
        !replace(&image, vips_cast(image, &result, VIPS_FORMAT_FLOAT, NULL), &result)) {
        complain_vips(name, "cannot be decoded");
        return NULL;
    }
    if (!is_supported(image->BandFmt) || image->Coding != VIPS_CODING_NONE) {
        complain(name, "its samples are neither 8 nor 16 bit nor float");
        g_object_unref(image);
        return NULL;
    }
    if (image->Bands > COF_MAX_BANDS) {
        complain(name, "it has more than 64 bands");
        g_object_unref(image);
        return NULL;
    }
    return into_memory(image, name);
}

VipsImage *picture_load_mask(const char *name)
{
    VipsImage *image = open_file(name), *result = NULL;
    if (!image)
        return NULL;
    double black = 0;
    bool ok = true;
    if (vips_image_hasalpha(image))
        ok = replace(&image, vips_extract_band(image, &result, 0, "n", image->Bands - 1, NULL),
                     &result);
    ok = ok && replace(&image,
                       vips_relational_const(image, &result, VIPS_OPERATION_RELATIONAL_NOTEQ,
                                             &black, 1, NULL),
                       &result);
    if (ok && image->Bands > 1)
        ok = replace(&image, vips_bandor(image, &result, NULL), &result);
    if (!ok) {
        complain_vips(name, "cannot be decoded");
        return NULL;
    }
    return into_memory(image, name);
}

VipsImage *picture_load_labels(const char *name)
{
    VipsImage *image = open_file(name);
    if (image && (image->BandFmt != VIPS_FORMAT_UCHAR || image->Bands != 1)) {
        complain(name, "labels must have 8 bits and one band");
        g_object_unref(image);
        return NULL;
    }
    return into_memory(image, name);
}

VipsImage *picture_new_like(VipsImage *image)
{
    VipsImage *copy = vips_image_new_memory();
    if (vips_image_pipelinev(copy, VIPS_DEMAND_STYLE_ANY, image, NULL) != 0 ||
        vips_image_write_prepare(copy) != 0) {
        g_object_unref(copy);
        return NULL;
    }
    return copy;
}

static CofKind kind_of(VipsImage *image)
{
    int bands = image->Bands;
    switch (vips_image_guess_interpretation(image)) {
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16:
        return bands == 1 ? COF_GREY : bands == 2 ? COF_GREY_ALPHA : COF_BANDS;
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB:
    case VIPS_INTERPRETATION_RGB16:
    case VIPS_INTERPRETATION_scRGB:
        return bands == 3 ? COF_RGB : bands == 4 ? COF_RGBA : COF_BANDS;
    default:
        return bands == 1 ? COF_GREY : COF_BANDS;
    }
}

CofImage picture_view(VipsImage *image)
{
    CofSample sample = image->BandFmt == VIPS_FORMAT_UCHAR    ? COF_U8
                       : image->BandFmt == VIPS_FORMAT_USHORT ? COF_U16
                                                              : COF_F32;
    return (CofImage){.data = VIPS_IMAGE_ADDR(image, 0, 0),
                      .width = image->Xsize,
                      .height = image->Ysize,
                      .channels = image->Bands,
                      .kind = kind_of(image),
                      .sample = sample,
                      .stride = (ptrdiff_t)VIPS_IMAGE_SIZEOF_LINE(image)};
}

bool picture_can_save(const char *name)
{
    if (vips_foreign_find_save(name))
        return true;
    complain(name, "no image format is known by that ending");
    return false;
}

void picture_abandon(void)
{
    if (unfinished[0] != '\0')
        unlink(unfinished);
}

/* An empty file beside the one to be, so that renaming it is one step. Its name ends like the other
 * one, since that chooses the format. */
static bool begin_file(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const char *ending = dot ? dot : "";
    int folder = (int)(base - path);
    int length = snprintf(unfinished, sizeof unfinished, "%.*s.cof-XXXXXX%s", folder, path, ending);
    int file = -1;
    if (length < (int)sizeof unfinished)
        file = mkstemps(unfinished, (int)strlen(ending));
    else
        errno = ENAMETOOLONG;
    if (file < 0) {
        complain(name, strerror(errno));
        unfinished[0] = '\0';
        return false;
    }
    close(file);
    return true;
}

/* What a new file would have, or what the old one had. */
static void copy_mode(const char *path)
{
    struct stat info;
    mode_t mask = umask(0);
    umask(mask);
    chmod(unfinished, stat(path, &info) == 0 ? info.st_mode & 0777 : 0666 & ~mask);
}

static bool write_file(VipsImage *image, const char *target, const char *name)
{
    unsigned handler = listen();
    bool ok = vips_image_write_to_file(image, target, NULL) == 0;
    if (!ok)
        complain_vips(name, "cannot be written");
    return !heard(handler, ok ? name : NULL) && ok;
}

/* `name` is what the user calls it. */
static bool write_and_rename(VipsImage *image, const char *path, const char *name,
                             const char *options)
{
    if (!begin_file(path, name))
        return false;
    char *target = g_strconcat(unfinished, options, NULL);
    bool ok = write_file(image, target, name);
    g_free(target);
    if (ok) {
        copy_mode(path);
        ok = rename(unfinished, path) == 0;
        if (!ok)
            complain(name, strerror(errno));
    }
    if (!ok)
        picture_abandon();
    unfinished[0] = '\0';
    return ok;
}

/* Can the format of that name hold floats? */
static bool holds_floats(const char *name)
{
    const char *saver = vips_foreign_find_save(name);
    VipsForeignSaveClass *type = saver ? g_type_class_ref(g_type_from_name(saver)) : NULL;
    bool holds = type && type->format_table[VIPS_FORMAT_FLOAT] == VIPS_FORMAT_FLOAT;
    if (type)
        g_type_class_unref(type);
    return holds;
}

/* 0..1 as 16 bits, which libvips turns into 8 where the format has no more. */
static VipsImage *to_integers(VipsImage *image)
{
    VipsImage *scaled = NULL, *rounded = NULL, *cast = NULL, *tagged = NULL;
    VipsInterpretation kind =
        image->Bands < 3 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16;
    if (vips_linear1(image, &scaled, 65535, 0, NULL) == 0 &&
        vips_rint(scaled, &rounded, NULL) == 0 &&
        vips_cast(rounded, &cast, VIPS_FORMAT_USHORT, NULL) == 0)
        vips_copy(cast, &tagged, "interpretation", kind, NULL);
    g_clear_object(&scaled);
    g_clear_object(&rounded);
    g_clear_object(&cast);
    return tagged;
}

bool picture_save(VipsImage *image, const char *name)
{
    char *path = vips_filename_get_filename(name), *options = vips_filename_get_options(name);
    char *target = realpath(path, NULL); /* of a link, what it points to */
    bool convert = image->BandFmt == VIPS_FORMAT_FLOAT && !holds_floats(name);
    VipsImage *pixels = convert ? to_integers(image) : g_object_ref(image);
    if (!pixels)
        complain_vips(path, "cannot be written");
    bool ok = pixels && write_and_rename(pixels, target ? target : path, path, options);
    g_clear_object(&pixels);
    free(target);
    g_free(path);
    g_free(options);
    return ok;
}
