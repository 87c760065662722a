/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares 8-bit results of the exact method between instruction sets. A program of its own, so
 * that it can run on machines that have nothing but a libc.
 *
 *     compare_levels IMAGE...                 level c with the level that COF_CPU names
 *     compare_levels --write FILE IMAGE...    writes the results
 *     compare_levels --compare FILE IMAGE...  with results that another machine has written
 *
 * Images are PPM or PGM files. Images of 16 bits are reduced to 8. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cof/cof.h"

/* Rounding may decide otherwise in one of so many samples: 0.02 %. */
#define SAMPLES_PER_DIFFERENCE 5000

typedef struct Case {
    const char *name;
    CofKind kind;
    int channels;
    long samples, different, largest;
} Case;

static Case cases[] = {
    {"colour", COF_KIND_RGB, 3, 0, 0, 0},
    {"colour with alpha", COF_KIND_RGBA, 4, 0, 0, 0},
    {"grey", COF_KIND_GREY, 1, 0, 0, 0},
    {"grey with alpha", COF_KIND_GREY_ALPHA, 2, 0, 0, 0},
};

#define N_CASES (sizeof cases / sizeof cases[0])

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static void *take(size_t size)
{
    void *bytes = malloc(size);
    if (!bytes)
        stop("compare_levels", "not enough memory");
    return bytes;
}

static size_t size_of(const CofImage *image)
{
    return (size_t)image->width * (size_t)image->height * (size_t)image->channels;
}

static CofImage read_pnm(const char *path)
{
    char kind = 0;
    int largest = 0;
    CofImage image = {.kind = COF_KIND_GREY, .channels = 1};
    FILE *file = fopen(path, "rb");
    if (!file || fscanf(file, "P%c %d %d %d", &kind, &image.width, &image.height, &largest) != 4)
        stop(path, "cannot be read");
    fgetc(file);
    if (kind == '6') {
        image.kind = COF_KIND_RGB;
        image.channels = 3;
    }
    size_t n = size_of(&image), bytes_each = largest > 255 ? 2 : 1;
    uint8_t *bytes = take(n * bytes_each);
    if (fread(bytes, bytes_each, n, file) != n)
        stop(path, "is too short");
    fclose(file);
    for (size_t i = 0; i < n; i++) /* the high byte is the first one */
        bytes[i] = bytes[i * bytes_each];
    image.data = bytes;
    return image;
}

/* Alpha has opaque, transparent and translucent stripes. */
static uint8_t alpha_at(int x, int y)
{
    int stripe = (x / 8 + y / 5) % 8;
    return stripe < 5 ? 255 : stripe == 5 ? 0 : (uint8_t)(stripe * 23 + x % 64);
}

/* The image with the channels of the case; grey is the green channel. */
static CofImage convert(const CofImage *image, const Case *one)
{
    CofImage converted = *image;
    converted.kind = one->kind;
    converted.channels = one->channels;
    uint8_t *to = take(size_of(&converted));
    converted.data = to;
    bool has_alpha = one->channels % 2 == 0;
    int colours = one->channels - has_alpha, pixels = image->width * image->height;
    for (int i = 0; i < pixels; i++) {
        const uint8_t *pixel = (const uint8_t *)image->data + i * image->channels;
        for (int channel = 0; channel < colours; channel++)
            *to++ = pixel[image->channels == 1 ? 0 : colours == 1 ? 1 : channel];
        if (has_alpha)
            *to++ = alpha_at(i % image->width, i / image->width);
    }
    return converted;
}

/* The result at an instruction set; NULL means the best one. */
static uint8_t *smooth_at(const CofImage *in, const char *level)
{
    CofImage out = *in;
    out.data = take(size_of(in));
    if (level ? setenv("COF_CPU", level, 1) : unsetenv("COF_CPU"))
        stop("COF_CPU", "cannot be set");
    CofStatus status = cof_smooth(in, &out, NULL);
    if (status != COF_OK)
        stop("cof_smooth", cof_status_string(status));
    return out.data;
}

/* Alpha is not filtered, and not compared. */
static void compare(Case *one, const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t channels = (size_t)one->channels, colours = channels < 3 ? 1 : 3;
    for (size_t i = 0; i < n; i++) {
        long difference = labs((long)a[i] - (long)b[i]);
        one->samples += i % channels < colours;
        one->different += difference > 0;
        one->largest = difference > one->largest ? difference : one->largest;
    }
}

typedef struct Run {
    const char *level; /* of the environment, or NULL */
    FILE *write, *read;
} Run;

static void run_case(const Run *run, Case *one, const CofImage *image)
{
    CofImage in = convert(image, one);
    size_t n = size_of(&in);
    uint8_t *result = smooth_at(&in, run->level), *other;
    if (run->write) {
        if (fwrite(result, 1, n, run->write) != n)
            stop("results", "cannot be written");
        other = NULL;
    } else if (run->read) {
        other = take(n);
        if (fread(other, 1, n, run->read) != n)
            stop("results", "are too short");
    } else {
        other = smooth_at(&in, "c");
    }
    if (other)
        compare(one, result, other, n);
    free(in.data);
    free(result);
    free(other);
}

static bool report(void)
{
    bool good = true;
    for (size_t i = 0; i < N_CASES; i++) {
        const Case *one = &cases[i];
        printf("%s: %ld of %ld samples differ, by at most %ld\n", one->name, one->different,
               one->samples, one->largest);
        good &= one->different <= one->samples / SAMPLES_PER_DIFFERENCE && one->largest <= 1;
    }
    return good;
}

static FILE *open_results(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (!file)
        stop(path, "cannot be opened");
    return file;
}

int main(int argc, char **argv)
{
    static char level[32];
    const char *name = getenv("COF_CPU");
    Run run = {0};
    int first = 1;
    if (name) { /* a copy, since setenv() replaces it */
        snprintf(level, sizeof level, "%s", name);
        run.level = level;
    }
    if (argc > 3 && strcmp(argv[1], "--write") == 0)
        run.write = open_results(argv[2], "wb");
    else if (argc > 3 && strcmp(argv[1], "--compare") == 0)
        run.read = open_results(argv[2], "rb");
    if (run.write || run.read)
        first = 3;
    if (first >= argc)
        stop("compare_levels", "name an image");
    for (int i = first; i < argc; i++) {
        CofImage image = read_pnm(argv[i]);
        for (size_t j = 0; j < N_CASES; j++)
            if (cases[j].channels < 3 || image.channels == 3)
                run_case(&run, &cases[j], &image);
        free(image.data);
    }
    if (run.write)
        return fclose(run.write) == 0 ? 0 : 2;
    return report() ? 0 : 1;
}
