/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures: made as SVG, saved as that or as pixels. */
#ifndef COF_SVG_H
#define COF_SVG_H

#include <stdbool.h>
#include <vips/vips.h>

typedef struct Drawing {
    GString *text;
    int width, height;
} Drawing;

void drawing_begin(Drawing *drawing, int width, int height);
void drawing_rect(Drawing *drawing, double x, double y, double width, double height,
                  const unsigned char rgb[3]);
void drawing_line(Drawing *drawing, double x1, double y1, double x2, double y2, const char *colour,
                  double width);

typedef enum Anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } Anchor;
void drawing_text(Drawing *drawing, double x, double y, int size, Anchor anchor, const char *text);

/* Any image, stretched; false with libvips' error set if it cannot be had. */
bool drawing_image(Drawing *drawing, VipsImage *image, double x, double y, double width,
                   double height);

/* Ends and saves it; complains if that fails. */
bool drawing_save(Drawing *drawing, const char *name);

#endif
