/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures: made as SVG, saved as that or as pixels. */
#include "figures/svg.h"

#include <string.h>

#include "io/cof_file.h"
#include "io/image_file.h"
#include "ui/error_line.h"

void drawing_begin(Drawing *d, int width, int height)
{
    d->text = g_string_new(NULL);
    d->width = width;
    d->height = height;
    g_string_append_printf(d->text,
                           "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                           "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%d\" "
                           "height=\"%d\" font-family=\"sans-serif\">\n"
                           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                           width, height);
}

/* With a point, wherever the user lives. */
static void add_number(Drawing *d, const char *name, double value)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(number, sizeof number, "%.2f", value);
    g_string_append_printf(d->text, " %s=\"%s\"", name, number);
}

static void add_box(Drawing *d, double x, double y, double width, double height)
{
    add_number(d, "x", x);
    add_number(d, "y", y);
    add_number(d, "width", width);
    add_number(d, "height", height);
}

void drawing_rect(Drawing *d, double x, double y, double width, double height,
                  const unsigned char rgb[3])
{
    g_string_append(d->text, "<rect");
    add_box(d, x, y, width, height);
    g_string_append_printf(d->text, " fill=\"#%02x%02x%02x\" shape-rendering=\"crispEdges\"/>\n",
                           rgb[0], rgb[1], rgb[2]);
}

void drawing_line(Drawing *d, double x1, double y1, double x2, double y2, const char *colour,
                  double width)
{
    g_string_append(d->text, "<line");
    add_number(d, "x1", x1);
    add_number(d, "y1", y1);
    add_number(d, "x2", x2);
    add_number(d, "y2", y2);
    add_number(d, "stroke-width", width);
    g_string_append_printf(d->text, " stroke=\"%s\"/>\n", colour);
}

void drawing_text(Drawing *d, double x, double y, int size, Anchor anchor, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    char *escaped = g_markup_escape_text(text, -1);
    g_string_append(d->text, "<text");
    add_number(d, "x", x);
    add_number(d, "y", y);
    g_string_append_printf(d->text, " font-size=\"%d\" text-anchor=\"%s\">%s</text>\n", size,
                           anchors[anchor], escaped);
    g_free(escaped);
}

bool drawing_image(Drawing *d, VipsImage *image, double x, double y, double width, double height)
{
    void *bytes;
    size_t size;
    if (vips_image_write_to_buffer(image, ".png[compression=1]", &bytes, &size, NULL) != 0)
        return false;
    char *code = g_base64_encode(bytes, size);
    g_free(bytes);
    g_string_append(d->text, "<image");
    add_box(d, x, y, width, height);
    g_string_append(d->text, " preserveAspectRatio=\"none\" xlink:href=\"data:image/png;base64,");
    g_string_append(d->text, code);
    g_string_append(d->text, "\"/>\n");
    g_free(code);
    return true;
}

/* The text may be long: libvips refuses that unless it is asked not to. */
static bool save_pixels(const Drawing *d, const char *name)
{
    VipsImage *image = NULL, *flat = NULL;
    bool ok =
        vips_svgload_buffer(d->text->str, d->text->len, &image, "unlimited", TRUE, NULL) == 0 &&
        vips_flatten(image, &flat, NULL) == 0;
    if (!ok)
        complain_vips(name, "cannot be drawn");
    ok = ok && picture_save(flat, name, ".png", flat);
    VIPS_UNREF(image);
    VIPS_UNREF(flat);
    return ok;
}

bool drawing_save(Drawing *d, const char *name)
{
    g_string_append(d->text, "</svg>\n");
    bool ok = g_str_has_suffix(name, ".svg") ? cof_file_write(name, d->text->str, d->text->len)
                                             : save_pixels(d, name);
    g_string_free(d->text, TRUE);
    return ok;
}
