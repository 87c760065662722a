/* SPDX-License-Identifier: BSD-2-Clause */
/* Captions below images. */
#include "figures/caption.h"

/* Smaller images have no caption. */
#define MIN_WIDTH 96

/* The height of a line, relative to the width of the image. */
#define LINE_HEIGHT 0.04
#define MIN_LINE_HEIGHT 12
#define MAX_LINE_HEIGHT 160

/* White in the sample type of an image. */
static double white_value(const VipsImage *image)
{
    if (image->Type == VIPS_INTERPRETATION_scRGB)
        return 1;
    return image->BandFmt == VIPS_FORMAT_USHORT ? 65535 : 255;
}

/* White text on black, one band, as wide as the image. */
static int draw_line(const VipsImage *image, const char *text, VipsImage **line)
{
    VipsImage *glyphs = NULL;
    int height = CLAMP((int)(image->Xsize * LINE_HEIGHT), MIN_LINE_HEIGHT, MAX_LINE_HEIGHT);
    /* A font of 12 points has this height in pixels at this resolution. */
    if (vips_text(&glyphs, text, "font", "sans 12", "dpi", height * 72 / 12, NULL) != 0)
        return -1;
    int margin = height / 2;
    int failed = vips_embed(glyphs, line, margin, margin, image->Xsize, height + 2 * margin, NULL);
    g_object_unref(glyphs);
    return failed;
}

/* The line in the bands and samples of the image; its alpha is opaque. */
static int match_format(VipsImage *line, VipsImage *image, VipsImage **out)
{
    VipsImage *steps[3] = {NULL}, *bands[64];
    double white = white_value(image);
    int alpha = vips_image_hasalpha(image), n = image->Bands - alpha;
    int failed = n > 64 || vips_linear1(line, &steps[0], white / 255, 0, NULL);
    for (int i = 0; i < n && !failed; i++)
        bands[i] = steps[0];
    failed = failed || vips_bandjoin(bands, &steps[1], n, NULL) ||
             (alpha ? vips_bandjoin_const1(steps[1], &steps[2], white, NULL)
                    : vips_copy(steps[1], &steps[2], NULL)) ||
             vips_cast(steps[2], out, image->BandFmt, NULL);
    for (int i = 0; i < 3; i++)
        VIPS_UNREF(steps[i]);
    return failed;
}

VipsImage *captioned_image(VipsImage *image, const char *text)
{
    VipsImage *line = NULL, *matched = NULL, *out = NULL;
    if (image->Xsize < MIN_WIDTH || image->Coding != VIPS_CODING_NONE)
        return g_object_ref(image);
    if (draw_line(image, text, &line) != 0) {
        vips_error_clear(); /* this libvips has no text */
        return g_object_ref(image);
    }
    if (match_format(line, image, &matched) == 0)
        vips_join(image, matched, &out, VIPS_DIRECTION_VERTICAL, NULL); /* keeps its metadata */
    VIPS_UNREF(line);
    VIPS_UNREF(matched);
    return out;
}
