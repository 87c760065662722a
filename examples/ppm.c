/* SPDX-License-Identifier: BSD-2-Clause */
/* PPM files. */
#include "ppm.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_SIDE = 1 << 20 };

/* The next character that is not white space or part of a comment. */
static int skip_space(FILE *file)
{
    int c = getc(file), comment = 0;
    for (; c != EOF && (comment || c == '#' || isspace(c)); c = getc(file))
        comment = (comment || c == '#') && c != '\n';
    return c;
}

/* A number of the header, and the white space that ends it; -1 if there is none. */
static int read_number(FILE *file)
{
    int c = skip_space(file), number = 0;
    if (!isdigit(c))
        return -1;
    for (; isdigit(c) && number <= MAX_SIDE; c = getc(file))
        number = 10 * number + (c - '0');
    return isspace(c) ? number : -1;
}

static const char *read_pixels(Ppm *image, FILE *file)
{
    if (getc(file) != 'P' || getc(file) != '6')
        return "not a PPM file (P6)";
    int width = read_number(file), height = read_number(file), maximum = read_number(file);
    if (width < 1 || width > MAX_SIDE || height < 1 || height > MAX_SIDE || maximum != 255)
        return "not an 8-bit PPM file of a usable size";
    size_t pixels = (size_t)width * (size_t)height;
    if (pixels > (size_t)-1 / 3)
        return "too large";
    unsigned char *data = malloc(3 * pixels);
    if (!data)
        return "not enough memory";
    if (fread(data, 3, pixels, file) != pixels) {
        free(data);
        return "cut short";
    }
    image->width = width;
    image->height = height;
    image->pixels = data;
    return NULL;
}

const char *ppm_read(Ppm *image, const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        return "cannot be opened";
    const char *problem = read_pixels(image, file);
    fclose(file);
    return problem;
}

const char *ppm_write(const Ppm *image, const char *name)
{
    size_t pixels = (size_t)image->width * (size_t)image->height;
    FILE *file = fopen(name, "wb");
    if (!file)
        return "cannot be created";
    int failed = fprintf(file, "P6\n%d %d\n255\n", image->width, image->height) < 0 ||
                 fwrite(image->pixels, 3, pixels, file) != pixels;
    failed |= fclose(file) != 0;
    return failed ? "cannot be written" : NULL;
}

void ppm_free(Ppm *image)
{
    free(image->pixels);
    image->pixels = NULL;
}
