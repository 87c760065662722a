/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options, parsed from text. */
#include "options/parse_value.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *option_name(OptionId option)
{
    return option_row(option)->name;
}

bool parse_int(OptionId option, const char *text, int *value)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < INT_MIN || number > INT_MAX) {
        fprintf(stderr, "cof: --%s wants a whole number, not '%s'\n", option_name(option), text);
        return false;
    }
    *value = (int)number;
    return true;
}

bool parse_positive_int(OptionId option, const char *text, int *value)
{
    if (!parse_int(option, text, value))
        return false;
    if (*value > 0)
        return true;
    fprintf(stderr, "cof: --%s must be above 0\n", option_name(option));
    return false;
}

bool parse_double(OptionId option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0')
        return true;
    fprintf(stderr, "cof: --%s wants a number, not '%s'\n", option_name(option), text);
    return false;
}

bool parse_positive(OptionId option, const char *text, double *value)
{
    if (!parse_double(option, text, value))
        return false;
    if (*value > 0)
        return true;
    fprintf(stderr, "cof: --%s must be above 0\n", option_name(option));
    return false;
}

bool parse_word(OptionId option, const char *text, const char *const *words, int *index)
{
    for (*index = 0; words[*index]; (*index)++)
        if (strcmp(text, words[*index]) == 0)
            return true;
    fprintf(stderr, "cof: --%s wants ", option_name(option));
    for (int i = 0; words[i]; i++)
        fprintf(stderr, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    fprintf(stderr, ", not '%s'\n", text);
    return false;
}

bool parse_region(const char *text, CofRect *region)
{
    long numbers[4];
    const char *at = text;
    bool ok = true;
    for (int i = 0; i < 4 && ok; i++) {
        char *end;
        errno = 0;
        numbers[i] = strtol(at, &end, 10);
        ok = end != at && errno == 0 && *end == (i < 3 ? ',' : '\0') && numbers[i] <= INT_MAX &&
             numbers[i] >= (i < 2 ? 0 : 1);
        at = end + 1;
    }
    if (ok) {
        *region = (CofRect){(int)numbers[0], (int)numbers[1], (int)numbers[2], (int)numbers[3]};
        return true;
    }
    fprintf(stderr, "cof: --region wants X,Y,WIDTH,HEIGHT in pixels, not '%s'\n", text);
    return false;
}

bool parse_range(const char *text, CofOptions *o)
{
    char *end;
    o->low = strtod(text, &end);
    bool ok = end != text && *end == ',';
    const char *second = end + 1;
    if (ok) {
        o->high = strtod(second, &end);
        ok = end != second && *end == '\0' && o->low < o->high;
    }
    if (!ok)
        fprintf(stderr, "cof: --range wants LOW,HIGH, not '%s'\n", text);
    return ok;
}

bool parse_seed(const char *text, uint64_t *seed)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    bool ok = end != text && *end == '\0' && errno == 0 && !strchr(text, '-');
    if (!ok)
        fprintf(stderr, "cof: --seed wants a whole number from 0 on, not '%s'\n", text);
    *seed = number;
    return ok;
}
