/* SPDX-License-Identifier: BSD-2-Clause */
/* Thumbnails in the metadata of an image, which would show the image before filtering. */
#include "io/image_file.h"

#include <stdbool.h>
#include <string.h>

/* IPTC data without image resources begin with this. */
#define IPTC_MARK 0x1c

/* IFD 1 of EXIF describes the thumbnail. libvips writes no tags that the image does not have. */
static void remove_exif_thumbnail(VipsImage *image)
{
    char **fields = vips_image_get_fields(image);
    for (char **field = fields; *field; field++)
        if (strcmp(*field, "jpeg-thumbnail-data") == 0 || g_str_has_prefix(*field, "exif-ifd1-"))
            vips_image_remove(image, *field);
    g_strfreev(fields);
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

/* Whether more than padding follows the first zero, where searches end. */
static bool has_bytes_behind_zero(const char *bytes, size_t size)
{
    for (size_t i = strnlen(bytes, size); i < size; i++)
        if (bytes[i] != '\0')
            return true;
    return false;
}

/* The end of the element whose name ends at `end`; NULL if it has none. */
static const char *element_end(const char *start, const char *end)
{
    const char *tag_end = strchr(end, '>');
    if (!tag_end || tag_end[-1] == '/')
        return tag_end ? tag_end + 1 : NULL;
    char *closing = g_strdup_printf("</%.*s", (int)(end - start - 1), start + 1);
    const char *found = strstr(tag_end, closing);
    found = found ? found + strlen(closing) : NULL;
    g_free(closing);
    found = found ? found + strspn(found, " \t\r\n") : NULL;
    return found && *found == '>' ? found + 1 : NULL;
}

/* Whether "<" and a prefix of a namespace are between two positions. */
static bool is_prefix(const char *start, const char *end)
{
    bool valid = *start == '<';
    for (const char *c = start + 1; c < end && valid; c++)
        valid = g_ascii_isalnum(*c) || *c == '_';
    return valid;
}

/* The text without the property Thumbnails, whatever the prefix of its namespace is; NULL if it
 * cannot be found as an element. In linear time: the text is not trusted. */
static char *without_property(const char *text)
{
    static const char name[] = "Thumbnails";
    GString *kept = g_string_new(NULL);
    for (const char *at; (at = strstr(text, name));) {
        const char *end = at + strlen(name), *start = at;
        while (start > text && *start != '<')
            start--;
        bool is_element = at - start > 2 && at[-1] == ':' && is_prefix(start, at - 1) &&
                          *end != '\0' && strchr(" \t\r\n/>", *end);
        const char *next = is_element ? element_end(start, end) : NULL;
        if (!next) {
            g_string_free(kept, TRUE);
            return NULL;
        }
        g_string_append_len(kept, text, start - text);
        text = next;
    }
    g_string_append(kept, text);
    return g_string_free(kept, FALSE);
}

/* XMP that is not understood is removed. */
static void remove_xmp_thumbnail(VipsImage *image)
{
    const void *bytes;
    size_t size;
    if (!get_blob(image, VIPS_META_XMP_NAME, &bytes, &size))
        return;
    char *text = g_strndup(bytes, size);
    char *kept = has_bytes_behind_zero(bytes, size) ? NULL : without_property(text);
    if (!kept)
        vips_image_remove(image, VIPS_META_XMP_NAME);
    else if (strlen(kept) < strlen(text))
        vips_image_set_blob_copy(image, VIPS_META_XMP_NAME, kept, strlen(kept));
    g_free(kept);
    g_free(text);
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
