/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints checksums of palette, labels and counts of a few images, which must be the same on every
 * machine, with every compiler. A program of its own, so that it can run on machines that have
 * nothing but a libc. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cof/cof.h"

static bool is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

/* The checksum of n numbers of that size, from the lowest byte of each to the highest, whatever
 * their order in memory. */
static uint32_t crc32_of(const void *block, size_t n, size_t size)
{
    const unsigned char *bytes = block;
    bool reversed = is_big_endian();
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < n * size; i++) {
        size_t place = i % size;
        crc ^= bytes[i - place + (reversed ? size - 1 - place : place)];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return crc ^ 0xffffffff;
}

static void need(CofStatus status)
{
    if (status == COF_OK)
        return;
    fprintf(stderr, "%s\n", cof_status_string(status));
    exit(1);
}

/* A PPM or PGM of 8 or 16 bits (big-endian, as the format has it). */
static CofImage read_pnm(const char *folder, const char *name)
{
    char path[1024], kind;
    int width, height, largest;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fscanf(file, "P%c %d %d %d", &kind, &width, &height, &largest) != 4) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fgetc(file);
    int channels = kind == '6' ? 3 : 1, size = largest > 255 ? 2 : 1;
    size_t n = (size_t)width * (size_t)height * (size_t)channels;
    unsigned char *bytes = malloc(n * (size_t)size);
    if (fread(bytes, (size_t)size, n, file) != n)
        exit(1);
    fclose(file);
    if (size == 2)
        for (size_t i = 0; i < n; i++) {
            uint16_t sample = (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
            memcpy(bytes + 2 * i, &sample, 2);
        }
    return (CofImage){.data = bytes,
                      .width = width,
                      .height = height,
                      .channels = channels,
                      .kind = channels == 3 ? COF_KIND_RGB : COF_KIND_GREY,
                      .sample = size == 2 ? COF_SAMPLE_U16 : COF_SAMPLE_U8};
}

/* Floats of five bands, made of integers; large enough for sampling. */
static CofImage make_bands(void)
{
    enum { WIDTH = 640, HEIGHT = 480, BANDS = 5 };
    float *values = malloc(sizeof(float) * WIDTH * HEIGHT * BANDS);
    uint32_t noise = 1;
    for (int i = 0; i < WIDTH * HEIGHT * BANDS; i++) {
        int x = i / BANDS % WIDTH, y = i / BANDS / WIDTH;
        noise = noise * 1664525u + 1013904223u;
        values[i] = (float)((x / 40 * 37 + y / 30 * 11 + i % BANDS * 101) % 256) +
                    (float)(noise >> 20) * 0x1p-8f;
    }
    return (CofImage){.data = values,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .channels = BANDS,
                      .kind = COF_KIND_BANDS,
                      .sample = COF_SAMPLE_F32};
}

static void print_checksums(const char *name, CofImage image)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    int bands, distances;
    need(cof_stats_new(&stats, NULL));
    need(cof_stats_scan(stats, &image, NULL, NULL));
    need(cof_stats_fit_palette(stats, NULL));
    need(cof_stats_add(stats, &image, NULL, NULL));
    need(cof_model_new(&model, stats, NULL));
    size_t n = (size_t)image.width * (size_t)image.height;
    uint8_t *pixels = malloc(n);
    CofImage labels = {.data = pixels,
                       .width = image.width,
                       .height = image.height,
                       .channels = 1,
                       .kind = COF_KIND_GREY};
    need(cof_model_label(model, &image, &labels, NULL));
    int k = cof_stats_size(stats);
    const float *palette = cof_stats_palette(stats, &bands);
    const uint64_t *counts = cof_stats_counts(stats, NULL, &distances);
    printf("%s: palette %08x, labels %08x, counts at rate %d %08x\n", name,
           crc32_of(palette, (size_t)(k * bands), sizeof *palette), crc32_of(pixels, n, 1),
           cof_stats_sampling_shift(stats),
           crc32_of(counts, (size_t)distances * (size_t)(k * (k + 1) / 2), sizeof *counts));
    free(pixels);
    free(image.data);
    cof_model_free(&model);
    cof_stats_free(&stats);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    print_checksums("cat", read_pnm(argv[1], "cat.ppm"));
    print_checksums("cup", read_pnm(argv[1], "cup16.ppm"));
    print_checksums("man", read_pnm(argv[1], "man16.pgm"));
    print_checksums("bands", make_bands());
    return 0;
}
