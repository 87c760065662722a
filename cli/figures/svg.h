/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures, drawn as SVG and saved as SVG or as pixels. */
#ifndef COF_SVG_H
#define COF_SVG_H

#include <stdbool.h>
#include <vips/vips.h>

typedef struct Svg {
    GString *text;
    int width, height;
} Svg;

void svg_begin(Svg *svg, int width, int height);
void svg_rect(Svg *svg, double x, double y, double width, double height,
              const unsigned char rgb[3]);
void svg_line(Svg *svg, double x1, double y1, double x2, double y2, const char *colour,
              double width);

typedef enum Anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } Anchor;
void svg_text(Svg *svg, double x, double y, int size, Anchor anchor, const char *text);

/* Draws an image, stretched to the rectangle. Returns false with libvips' error set on failure. */
bool svg_image(Svg *svg, VipsImage *image, double x, double y, double width, double height);

/* Saves and frees the figure. Prints an error on failure. */
bool svg_save(Svg *svg, const char *name);

#endif
