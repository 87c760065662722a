/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies GEGL buffers to images that libcof reads, and back. */
#include "gegl_buffer.h"

#include <limits.h>
#include <string.h>

/* Larger images are taken for infinite planes, or would exhaust memory. */
#define MAX_PIXELS ((gint64)1 << 30)

/* GEGL computes the size of a copy as an int, so buffers are copied in strips of a few rows. A
 * pixel has at most four floats. */
#define STRIP_ROWS 16
#define MAX_WIDTH (INT_MAX / (STRIP_ROWS * 16))

/* babl format names, indexed by kind and sample type. */
static const char *const formats[][3] = {
    [COF_KIND_GREY] = {"Y' u8", "Y' u16", "Y' float"},
    [COF_KIND_GREY_ALPHA] = {"Y'A u8", "Y'A u16", "Y'A float"},
    [COF_KIND_RGB] = {"R'G'B' u8", "R'G'B' u16", "R'G'B' float"},
    [COF_KIND_RGBA] = {"R'G'B'A u8", "R'G'B'A u16", "R'G'B'A float"},
};

/* Integer samples are used only if the input has the same encoding: converting 8-bit linear or
 * premultiplied samples to and from sRGB integers would lose precision. */
static CofSample sample_of(const Babl *format, BablModelFlag flags)
{
    const Babl *type = babl_format_get_type(format, 0);
    if (babl_format_is_palette(format))
        return COF_SAMPLE_U8;
    if (!(flags & BABL_MODEL_FLAG_NONLINEAR) || (flags & BABL_MODEL_FLAG_ASSOCIATED) ||
        !(flags & (BABL_MODEL_FLAG_GRAY | BABL_MODEL_FLAG_RGB)))
        return COF_SAMPLE_F32;
    return type == babl_type("u8")    ? COF_SAMPLE_U8
           : type == babl_type("u16") ? COF_SAMPLE_U16
                                      : COF_SAMPLE_F32;
}

BufferFormat buffer_format_for(const Babl *input)
{
    BufferFormat format = {.kind = COF_KIND_RGBA, .sample = COF_SAMPLE_F32};
    if (input) {
        BablModelFlag flags = babl_get_model_flags(input);
        bool grey = (flags & BABL_MODEL_FLAG_GRAY) && !babl_format_is_palette(input);
        bool alpha = babl_format_has_alpha(input);
        format.kind = grey ? (alpha ? COF_KIND_GREY_ALPHA : COF_KIND_GREY)
                           : (alpha ? COF_KIND_RGBA : COF_KIND_RGB);
        format.sample = sample_of(input, flags);
    }
    format.format = babl_format_with_space(formats[format.kind][format.sample], input);
    return format;
}

bool buffer_fits(const GeglRectangle *rect)
{
    return !gegl_rectangle_is_infinite_plane(rect) && rect->width <= MAX_WIDTH &&
           rect->height <= COF_MAX_SIDE && (gint64)rect->width * rect->height <= MAX_PIXELS;
}

static GeglRectangle strip(const GeglRectangle *rect, int y)
{
    int left = rect->height - y;
    return (GeglRectangle){rect->x, rect->y + y, rect->width,
                           left < STRIP_ROWS ? left : STRIP_ROWS};
}

CofImage buffer_read(const BufferFormat *format, GeglBuffer *from, const GeglRectangle *rect)
{
    size_t step = (size_t)babl_format_get_bytes_per_pixel(format->format);
    CofImage image = {.width = rect->width,
                      .height = rect->height,
                      .channels = babl_format_get_n_components(format->format),
                      .kind = format->kind,
                      .sample = format->sample,
                      .row_stride = (ptrdiff_t)(step * (size_t)rect->width),
                      .pixel_stride = (ptrdiff_t)step};
    image.data = g_try_malloc_n((size_t)image.row_stride, (size_t)image.height);
    for (int y = 0; image.data && y < rect->height; y += STRIP_ROWS) {
        GeglRectangle rows = strip(rect, y);
        gegl_buffer_get(from, &rows, 1.0, format->format, (char *)image.data + y * image.row_stride,
                        (int)image.row_stride, GEGL_ABYSS_NONE);
    }
    return image;
}

void buffer_write(const BufferFormat *format, const CofImage *image, const GeglRectangle *rect,
                  const GeglRectangle *roi, GeglBuffer *to)
{
    const char *from = (const char *)image->data + (roi->y - rect->y) * image->row_stride +
                       (roi->x - rect->x) * image->pixel_stride;
    for (int y = 0; y < roi->height; y += STRIP_ROWS) {
        GeglRectangle rows = strip(roi, y);
        gegl_buffer_set(to, &rows, 0, format->format, from + y * image->row_stride,
                        (int)image->row_stride);
    }
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

uint64_t image_hash(const CofImage *image)
{
    const char *bytes = image->data;
    size_t size = (size_t)image->row_stride * (size_t)image->height, i = 0;
    uint64_t hash = size, word;
    for (; i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, bytes + i, size - i);
    return mix(hash, word);
}
