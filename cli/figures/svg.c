/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures, drawn as SVG and saved as SVG or as pixels. */
#include "figures/svg.h"

#include <string.h>

#include "io/cof_file.h"
#include "io/image_file.h"
#include "ui/error_line.h"

void svg_begin(Svg *svg, int width, int height)
{
    svg->text = g_string_new(NULL);
    svg->width = width;
    svg->height = height;
    g_string_append_printf(svg->text,
                           "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                           "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%d\" "
                           "height=\"%d\" font-family=\"sans-serif\">\n"
                           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                           width, height);
}

/* Writes a decimal point in every locale. */
static void add_number(Svg *svg, const char *name, double value)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(number, sizeof number, "%.2f", value);
    g_string_append_printf(svg->text, " %s=\"%s\"", name, number);
}

static void add_box(Svg *svg, double x, double y, double width, double height)
{
    add_number(svg, "x", x);
    add_number(svg, "y", y);
    add_number(svg, "width", width);
    add_number(svg, "height", height);
}

void svg_rect(Svg *svg, double x, double y, double width, double height, const unsigned char rgb[3])
{
    g_string_append(svg->text, "<rect");
    add_box(svg, x, y, width, height);
    g_string_append_printf(svg->text, " fill=\"#%02x%02x%02x\" shape-rendering=\"crispEdges\"/>\n",
                           rgb[0], rgb[1], rgb[2]);
}

void svg_line(Svg *svg, double x1, double y1, double x2, double y2, const char *colour,
              double width)
{
    g_string_append(svg->text, "<line");
    add_number(svg, "x1", x1);
    add_number(svg, "y1", y1);
    add_number(svg, "x2", x2);
    add_number(svg, "y2", y2);
    add_number(svg, "stroke-width", width);
    g_string_append_printf(svg->text, " stroke=\"%s\"/>\n", colour);
}

void svg_text(Svg *svg, double x, double y, int size, Anchor anchor, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    char *escaped = g_markup_escape_text(text, -1);
    g_string_append(svg->text, "<text");
    add_number(svg, "x", x);
    add_number(svg, "y", y);
    g_string_append_printf(svg->text, " font-size=\"%d\" text-anchor=\"%s\">%s</text>\n", size,
                           anchors[anchor], escaped);
    g_free(escaped);
}

bool svg_image(Svg *svg, VipsImage *image, double x, double y, double width, double height)
{
    void *bytes;
    size_t size;
    if (vips_image_write_to_buffer(image, ".png[compression=1]", &bytes, &size, NULL) != 0)
        return false;
    char *base64 = g_base64_encode(bytes, size);
    g_free(bytes);
    g_string_append(svg->text, "<image");
    add_box(svg, x, y, width, height);
    g_string_append(svg->text, " preserveAspectRatio=\"none\" xlink:href=\"data:image/png;base64,");
    g_string_append(svg->text, base64);
    g_string_append(svg->text, "\"/>\n");
    g_free(base64);
    return true;
}

/* Embedded images make the text long, which libvips accepts only with "unlimited". */
static bool save_pixels(const Svg *svg, const char *name)
{
    VipsImage *image = NULL, *flat = NULL;
    bool ok =
        vips_svgload_buffer(svg->text->str, svg->text->len, &image, "unlimited", TRUE, NULL) == 0 &&
        vips_flatten(image, &flat, NULL) == 0;
    if (!ok)
        print_vips_error(name, "cannot be drawn");
    ok = ok && image_file_save(flat, name, ".png", flat);
    VIPS_UNREF(image);
    VIPS_UNREF(flat);
    return ok;
}

bool svg_save(Svg *svg, const char *name)
{
    g_string_append(svg->text, "</svg>\n");
    bool ok = g_str_has_suffix(name, ".svg") ? cof_file_write(name, svg->text->str, svg->text->len)
                                             : save_pixels(svg, name);
    g_string_free(svg->text, TRUE);
    return ok;
}
