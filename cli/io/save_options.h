/* SPDX-License-Identifier: BSD-2-Clause */
/* The options with which libvips writes an image: like the input where that is possible. */
#ifndef COF_SAVE_OPTIONS_H
#define COF_SAVE_OPTIONS_H

#include <stdbool.h>
#include <vips/vips.h>

#include "io/encoding.h"

/* The quality of lossy formats if neither the user nor the input states one. */
#define DEFAULT_QUALITY 92

/* Whether the suffix of `name` selects one of libvips' operations, such as "jpegsave webpsave". */
bool save_is(const char *name, const char *savers);

/* Whether the name of a file, without options in brackets, ends with a suffix. */
bool save_has_suffix(const char *name, const char *suffix);

/* Whether the format that the suffix of `name` selects has a quality. */
bool save_has_quality(const char *name);

/* Whether the format that the suffix of `name` selects keeps transparency; true if none does. */
bool save_has_alpha(const char *name);

/* Whether options of libvips in brackets, or "", set an option. */
bool save_options_set(const char *options, const char *option);

/* The options for an image, "[...]" or "": those of the user, which are in brackets or "", then
 * those that follow from the input. `name` selects the format, `quality` is 0 if the user does not
 * state one. Free with g_free(). */
char *save_options(const char *name, const char *options, VipsImage *image, const Encoding *input,
                   int quality);

#endif
