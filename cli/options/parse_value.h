/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options, parsed from text. */
#ifndef COF_PARSE_VALUE_H
#define COF_PARSE_VALUE_H

#include <stdbool.h>

#include "options/arguments.h"

/* Each of these prints an error about the option and returns false if the text is malformed. */

/* An option of the library, cof_option_info(index). */
bool parse_library_option(Arguments *arguments, int index, const char *text);

/* A number of that range. */
bool parse_number(OwnOption option, const char *text, double minimum, double maximum,
                  double *value);

/* A whole number from 1 on. */
bool parse_count(OwnOption option, const char *text, int *value);

/* A number of pixels, with the suffix k, M, G or T for powers of 1000, or without one. */
bool parse_pixels(OwnOption option, const char *text, int64_t *value);

/* A whole number of that range. */
bool parse_int(OwnOption option, const char *text, int minimum, int maximum, int *value);

/* Sets *index to the index of the text in `words`, which ends with NULL. */
bool parse_word(OwnOption option, const char *text, const char *const *words, int *index);

/* Parses X,Y,WIDTH,HEIGHT. */
bool parse_region(const char *text, CofRect *region);

/* Parses all, N, N-M or, if `each` is not NULL, each. */
bool parse_pages(OwnOption option, const char *text, PageRange *pages, bool *each);

/* Parses auto, none or a number, which may be nan. */
bool parse_nodata(const char *text, NodataRule *rule, double *value);

/* Parses numbers and ranges of bands, such as 4,3,2 or 1-3,8. */
bool parse_bands(OwnOption option, const char *text, BandNumbers *bands);

/* Checks for NAME=VALUE. */
bool check_creation_option(const char *text);

/* Parses LOW,HIGH. */
bool parse_range(const char *text, double *low, double *high);

#endif
