/* SPDX-License-Identifier: BSD-2-Clause */
/* Thumbnails in the metadata of an image, which would show the image before filtering. */
#include "io/thumbnails.h"

#include <stdbool.h>
#include <string.h>

/* IPTC data without image resources begin with this. */
#define IPTC_MARK 0x1c

/* IFD 1 of EXIF describes the thumbnail. libvips writes no tags that the image does not have. */
static void *collect_exif(VipsImage *image, const char *field, GValue *value, void *names)
{
    (void)image, (void)value;
    if (strcmp(field, "jpeg-thumbnail-data") == 0 || g_str_has_prefix(field, "exif-ifd1-"))
        g_ptr_array_add(names, g_strdup(field));
    return NULL;
}

static void remove_exif_thumbnail(VipsImage *image)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    vips_image_map(image, collect_exif, names);
    for (guint i = 0; i < names->len; i++)
        vips_image_remove(image, g_ptr_array_index(names, i));
    g_ptr_array_free(names, TRUE);
}

static size_t even(size_t size)
{
    return size + (size & 1);
}

static bool is_signature(const unsigned char *at)
{
    static const char signatures[][5] = {"8BIM", "PHUT", "MeSa", "AgHg", "DCSR"};
    for (size_t i = 0; i < G_N_ELEMENTS(signatures); i++)
        if (memcmp(at, signatures[i], 4) == 0)
            return true;
    return false;
}

/* The size of the image resource at `at`: a signature, a number, a name and data, each padded to
 * even sizes. 0 if it is malformed. Sets whether it is a thumbnail. */
static size_t resource_size(const unsigned char *at, size_t left, bool *is_thumbnail)
{
    if (left < 12 || !is_signature(at))
        return 0;
    int number = at[4] << 8 | at[5];
    size_t header = 6 + even(1 + (size_t)at[6]);
    if (header + 4 > left)
        return 0;
    const unsigned char *size = at + header;
    size_t data = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
    *is_thumbnail = number == 1033 || number == 1036;
    if (data > left - header - 4)
        return 0;
    size_t all = header + 4 + even(data);
    return all < left ? all : left;
}

/* Copies the resources that are no thumbnails; NULL if one is malformed. */
static GByteArray *without_resource(const unsigned char *bytes, size_t size)
{
    static const char signature[] = "Photoshop 3.0"; /* and its zero; only in JPEG */
    size_t at = size >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0
                    ? sizeof signature
                    : 0;
    GByteArray *kept = g_byte_array_new();
    g_byte_array_append(kept, bytes, (guint)at);
    while (at < size) {
        bool is_thumbnail = false;
        size_t step = resource_size(bytes + at, size - at, &is_thumbnail);
        if (step == 0) {
            g_byte_array_free(kept, TRUE);
            return NULL;
        }
        if (!is_thumbnail)
            g_byte_array_append(kept, bytes + at, (guint)step);
        at += step;
    }
    return kept;
}

static bool get_blob(VipsImage *image, const char *field, const void **bytes, size_t *size)
{
    return vips_image_get_typeof(image, field) == VIPS_TYPE_BLOB &&
           vips_image_get_blob(image, field, bytes, size) == 0;
}

/* A block that is not understood may hide a thumbnail, and is removed. */
static void remove_photoshop_thumbnail(VipsImage *image, const char *field)
{
    const void *bytes;
    size_t size;
    if (!get_blob(image, field, &bytes, &size) || (size > 0 && *(const char *)bytes == IPTC_MARK))
        return;
    GByteArray *kept = size <= G_MAXUINT ? without_resource(bytes, size) : NULL;
    if (!kept)
        vips_image_remove(image, field);
    else if (kept->len < size)
        vips_image_set_blob_copy(image, field, kept->data, kept->len);
    if (kept)
        g_byte_array_free(kept, TRUE);
}

/* The property Thumbnails of XMP, whatever the prefix of its namespace is. XMP in which it cannot
 * be found as an element is removed. */
static void remove_xmp_thumbnail(VipsImage *image)
{
    static const char pattern[] = "<(\\w+):Thumbnails\\b[^>]*(/>|>.*?</\\1:Thumbnails\\s*>)";
    const void *bytes;
    size_t size;
    if (!get_blob(image, VIPS_META_XMP_NAME, &bytes, &size) ||
        !g_strstr_len(bytes, (gssize)size, "Thumbnails"))
        return;
    GRegex *regex = g_regex_new(pattern, G_REGEX_DOTALL | G_REGEX_RAW, 0, NULL);
    char *kept = g_regex_replace_literal(regex, bytes, (gssize)size, 0, "", 0, NULL);
    if (kept && !strstr(kept, "Thumbnails"))
        vips_image_set_blob_copy(image, VIPS_META_XMP_NAME, kept, strlen(kept));
    else
        vips_image_remove(image, VIPS_META_XMP_NAME);
    g_free(kept);
    g_regex_unref(regex);
}

VipsImage *without_thumbnails(VipsImage *image)
{
    VipsImage *copy = NULL;
    if (vips_copy(image, &copy, NULL) != 0)
        return NULL;
    remove_exif_thumbnail(copy);
    remove_photoshop_thumbnail(copy, VIPS_META_IPTC_NAME);
    remove_photoshop_thumbnail(copy, VIPS_META_PHOTOSHOP_NAME);
    remove_xmp_thumbnail(copy);
    return copy;
}
