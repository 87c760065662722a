/* SPDX-License-Identifier: BSD-2-Clause */
/* What the targets that read image files share: libvips without what slows or blurs a run, and the
 * input as a file. */
#ifndef COF_FUZZ_IMAGE_INPUT_H
#define COF_FUZZ_IMAGE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts libvips as the command does, once: one thread, no cache, no modules (HEIF, JPEG XL,
 * ImageMagick and OpenSlide in Debian). */
void image_input_start(void);

/* Objects of libvips, and the lowest free file descriptor: both are as before when nothing leaks.
 */
typedef struct Holdings {
    int objects, descriptor;
} Holdings;

Holdings image_input_holdings(void);

/* Runs code whose error lines are kept, and returns them in one text that is valid until the next
 * call. What libraries print is dropped. */
const char *lines_of(void (*code)(void *), void *data);

/* Each line of a text begins with "cof: note: ", except for one if `failed`, which then names
 * `name`. */
void check_lines(const char *lines, bool failed, const char *name);

#endif
