/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options, parsed from text. */
#include "options/parse_value.h"

#include <errno.h>
#include <glib.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ui/error_line.h"

/* The library's text begins with the name of the option, spelled as in CofOptions. */
static void print_option_problem(const CofOptionInfo *info, const CofProblem *problem,
                                 const char *text)
{
    char name[MAX_WORD_LENGTH + 1];
    size_t length = strlen(info->name);
    const char *rest = problem->text;
    option_name(info, name);
    if (strncmp(rest, info->name, length) == 0)
        rest += length;
    print_usage_error("--%s%s, not '%s'", name, rest, text);
}

static bool parse_preset(Arguments *a, const CofOptionInfo *info, const char *text)
{
    int index = find_word(text, info->choices);
    if (index >= 0) {
        a->preset = (CofPreset)index;
        return true;
    }
    /* The library names the words. */
    CofProblem problem;
    CofOptions options;
    cof_options_init(&options);
    if (cof_options_set_preset(&options, (CofPreset)-1, 1, 1, &problem) != COF_OK)
        print_option_problem(info, &problem, text);
    return false;
}

bool parse_library_option(Arguments *a, int index, const char *text)
{
    const CofOptionInfo *info = cof_option_info(index);
    CofProblem problem;
    CofOptions options;
    cof_options_init(&options);
    if (info->choices && find_word(text, info->choices) >= 0)
        text = info->choices[find_word(text, info->choices)]; /* in British spelling */
    a->library[index] = text;
    if (info->flags & COF_OPTION_FLAG_NO_FIELD)
        return parse_preset(a, info, text);
    if (cof_options_set(&options, info->name, text, &problem) == COF_OK)
        return true;
    print_option_problem(info, &problem, text);
    return false;
}

bool parse_number(OwnOption option, const char *text, double minimum, double maximum, double *value)
{
    char *end;
    *value = g_ascii_strtod(text, &end);
    if (end != text && *end == '\0' && *value >= minimum && *value <= maximum)
        return true;
    print_usage_error("--%s must be %g to %g, not '%s'", own_option_name(option), minimum, maximum,
                      text);
    return false;
}

bool parse_count(OwnOption option, const char *text, int *value)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    *value = (int)number;
    if (end != text && *end == '\0' && errno == 0 && number >= 1 && number <= INT_MAX)
        return true;
    print_usage_error("--%s must be a whole number from 1 on, not '%s'", own_option_name(option),
                      text);
    return false;
}

bool parse_pixels(OwnOption option, const char *text, int64_t *value)
{
    static const char suffixes[] = "kMGT";
    char *end;
    double number = g_ascii_strtod(text, &end);
    const char *suffix = end != text && *end != '\0' ? strchr(suffixes, *end) : NULL;
    for (const char *s = suffixes; suffix && s <= suffix; s++)
        number *= 1000;
    if (suffix)
        end++;
    if (end != text && *end == '\0' && number >= 1 && number <= 1e18) {
        *value = (int64_t)number;
        return true;
    }
    print_usage_error("--%s must be a number of pixels, such as 400M or 4G, not '%s'",
                      own_option_name(option), text);
    return false;
}

bool parse_int(OwnOption option, const char *text, int minimum, int maximum, int *value)
{
    char *end;
    long number = strtol(text, &end, 10);
    *value = (int)number;
    if (end != text && *end == '\0' && number >= minimum && number <= maximum)
        return true;
    print_usage_error("--%s must be a whole number from %d to %d, not '%s'",
                      own_option_name(option), minimum, maximum, text);
    return false;
}

bool parse_word(OwnOption option, const char *text, const char *const *words, int *index)
{
    *index = find_word(text, words);
    if (*index >= 0)
        return true;
    GString *list = g_string_new(NULL);
    for (int i = 0; words[i]; i++)
        g_string_append_printf(list, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    print_usage_error("--%s must be %s, not '%s'", own_option_name(option), list->str, text);
    g_string_free(list, TRUE);
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
    print_usage_error("--region must be X,Y,WIDTH,HEIGHT in pixels, not '%s'", text);
    return false;
}

bool parse_range(const char *text, double *low, double *high)
{
    char *end;
    *low = g_ascii_strtod(text, &end);
    bool ok = end != text && *end == ',';
    const char *second = end + 1;
    if (ok) {
        *high = g_ascii_strtod(second, &end);
        ok = end != second && *end == '\0' && *low < *high && isfinite(*high - *low);
    }
    if (!ok)
        print_usage_error("--range must be LOW,HIGH, not '%s'", text);
    return ok;
}

/* Parses a whole number from 1 on; returns what follows, or NULL. */
static const char *parse_page(const char *text, int *page)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    *page = (int)number;
    return g_ascii_isdigit(*text) && errno == 0 && number >= 1 && number < INT_MAX ? end : NULL;
}

bool parse_pages(OwnOption option, const char *text, PageRange *pages, bool *each)
{
    *pages = (PageRange){0};
    if (each)
        *each = strcmp(text, "each") == 0;
    if (strcmp(text, "all") == 0 || (each && *each))
        return true;
    const char *rest = parse_page(text, &pages->first);
    pages->last = pages->first;
    if (rest && *rest == '-')
        rest = parse_page(rest + 1, &pages->last);
    if (rest && *rest == '\0' && pages->first <= pages->last)
        return true;
    print_usage_error("--%s must be all, %sN or N-M, with pages from 1 on, not '%s'",
                      own_option_name(option), each ? "each, " : "", text);
    return false;
}

bool parse_nodata(const char *text, NodataRule *rule, double *value)
{
    char *end;
    *rule = strcmp(text, "auto") == 0   ? NODATA_AUTO
            : strcmp(text, "none") == 0 ? NODATA_NONE
                                        : NODATA_VALUE;
    *value = g_ascii_strtod(text, &end);
    if (*rule != NODATA_VALUE || (end != text && *end == '\0'))
        return true;
    print_usage_error("--nodata must be auto, none or a number, not '%s'", text);
    return false;
}

/* Adds the bands from `first` to `last`. */
static bool add_bands(BandNumbers *bands, int first, int last)
{
    for (int number = first; number <= last; number++) {
        for (int i = 0; i < bands->n; i++)
            if (bands->numbers[i] == number)
                return false;
        if (bands->n == COF_MAX_BANDS)
            return false;
        bands->numbers[bands->n++] = number;
    }
    return first <= last;
}

bool parse_bands(OwnOption option, const char *text, BandNumbers *bands)
{
    const char *rest = text;
    bool ok = true;
    bands->n = 0;
    for (bool more = true; more && ok; rest++) {
        int first, last;
        rest = parse_page(rest, &first);
        last = first;
        if (rest && *rest == '-')
            rest = parse_page(rest + 1, &last);
        ok = rest && (*rest == ',' || *rest == '\0') && add_bands(bands, first, last);
        more = ok && *rest == ',';
        if (!more)
            break;
    }
    if (!ok)
        print_usage_error("--%s must be up to %d different bands from 1 on, such as 4,3,2 or 1-3, "
                          "not '%s'",
                          own_option_name(option), COF_MAX_BANDS, text);
    return ok;
}

bool check_creation_option(const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals && equals > text)
        return true;
    print_usage_error("--co must be NAME=VALUE, not '%s'", text);
    return false;
}
