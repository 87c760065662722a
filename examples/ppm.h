/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes 8-bit colour images as PPM files (P6), which need no library. Other programs
 * make them: `vips copy photo.jpg photo.ppm`, `ffmpeg -i photo.jpg photo.ppm`. */
#ifndef EXAMPLE_PPM_H
#define EXAMPLE_PPM_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Ppm {
    int width, height;
    unsigned char *pixels; /* height x width x 3, from malloc() */
} Ppm;

/* Both return NULL, or why they failed. */
const char *ppm_read(Ppm *image, const char *name);
const char *ppm_write(const Ppm *image, const char *name);

void ppm_free(Ppm *image);

#ifdef __cplusplus
}
#endif

#endif
