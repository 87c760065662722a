/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options, parsed from text. */
#ifndef COF_PARSE_VALUE_H
#define COF_PARSE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "cof/cof.h"
#include "options/option_table.h"

/* Each of these prints an error about the option and returns false if the text is malformed. */

bool parse_int(OptionId option, const char *text, int *value);
bool parse_double(OptionId option, const char *text, double *value);

/* Both reject 0, with which the library chooses a value: on the command line, leaving the option
 * out does that. */
bool parse_positive_int(OptionId option, const char *text, int *value);
bool parse_positive(OptionId option, const char *text, double *value);

/* Sets *index to the index of the text in `words`, which ends with NULL. */
bool parse_word(OptionId option, const char *text, const char *const *words, int *index);

/* Parses X,Y,WIDTH,HEIGHT. */
bool parse_region(const char *text, CofRect *region);

/* Parses LOW,HIGH. */
bool parse_range(const char *text, CofOptions *options);

bool parse_seed(const char *text, uint64_t *seed);

#endif
