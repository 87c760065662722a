/* SPDX-License-Identifier: BSD-2-Clause */
/* The option table of options.def, as data. */
#include "options/option_info.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(CofBorder) == sizeof(int), "enumerations are read and written as int");

#define TEXT(value) #value
#define EXPAND(value) TEXT(value) /* of a constant such as COF_MAX_WINDOW: its value */

/* First expansion: CofOptionInfo. */
#define WORDS2(a, b) a, b
#define WORDS3(a, b, c) a, b, c
#define WORDS7(a, b, c, d, e, f, g) a, b, c, d, e, f, g
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define LAST(...) (sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *) - 1)
#define ROW(NAME, TYPE, GROUP, FLAGS, MINIMUM, MAXIMUM, INITIAL, WORDS, AUTOMATIC, LABEL, HELP) \
    {.name = #NAME, \
     .type = COF_OPTION_TYPE_##TYPE, \
     .group = COF_OPTION_GROUP_##GROUP, \
     .flags = (FLAGS), \
     .offset = offsetof(CofOptions, NAME), \
     .minimum = (MINIMUM), \
     .maximum = (MAXIMUM), \
     .default_value = (INITIAL), \
     .choices = (WORDS), \
     .automatic = (AUTOMATIC), \
     .label = (LABEL), \
     .help = (HELP)},
#define OPTION_PRESET(n, g, f, words_, l, t) \
    {.name = #n, \
     .type = COF_OPTION_TYPE_CHOICE, \
     .group = COF_OPTION_GROUP_##g, \
     .flags = (f), \
     .maximum = LAST(words_), \
     .choices = LIST(words_), \
     .label = (l), \
     .help = (t)},
#define OPTION_CHOICE(n, g, f, i, words, l, t) \
    ROW(n, CHOICE, g, f, 0, LAST(words), i, LIST(words), NULL, l, t)
#define OPTION_INT(n, g, f, low, high, i, l, t) ROW(n, INT, g, f, low, high, i, NULL, NULL, l, t)
#define OPTION_ODD(n, g, f, low, high, i, l, t) \
    ROW(n, INT, g, (f) | COF_OPTION_FLAG_ODD, low, high, i, NULL, NULL, l, t)
#define OPTION_REAL(n, g, f, low, high, i, l, t) \
    ROW(n, DOUBLE, g, f, low, high, i, NULL, NULL, l, t)
#define OPTION_INT_AUTO(n, g, f, low, high, i, l, t, a) \
    ROW(n, INT, g, (f) | COF_OPTION_FLAG_AUTO, low, high, i, NULL, a, l, t)
#define OPTION_ODD_AUTO(n, g, f, low, high, i, l, t, a) \
    ROW(n, INT, g, (f) | COF_OPTION_FLAG_AUTO | COF_OPTION_FLAG_ODD, low, high, i, NULL, a, l, t)
#define OPTION_REAL_AUTO(n, g, f, low, high, i, l, t, a) \
    ROW(n, DOUBLE, g, (f) | COF_OPTION_FLAG_AUTO, low, high, i, NULL, a, l, t)
#define OPTION_SEED(n, g, f, l, t) ROW(n, UINT64, g, f, 0, (double)UINT64_MAX, 0, NULL, NULL, l, t)

static const CofOptionInfo table[] = {
#include "options/options.def"
};

#undef WORDS2
#undef WORDS3
#undef WORDS7
#undef OPTION_PRESET
#undef OPTION_CHOICE
#undef OPTION_INT
#undef OPTION_ODD
#undef OPTION_REAL
#undef OPTION_INT_AUTO
#undef OPTION_ODD_AUTO
#undef OPTION_REAL_AUTO
#undef OPTION_SEED

/* Second expansion: what a value out of range is answered with. */
#define WORDS2(a, b) a " or " b
#define WORDS3(a, b, c) a ", " b " or " c
#define WORDS7(a, b, c, d, e, f, g) a ", " b ", " c ", " d ", " e ", " f " or " g
#define OPTION_PRESET(n, g, f, words, l, t) #n " must be " words,
#define OPTION_CHOICE(n, g, f, i, words, l, t) #n " must be " words,
#define RANGE(low, high) EXPAND(low) " to " EXPAND(high)
#define OPTION_INT(n, g, f, low, high, i, l, t) #n " must be " RANGE(low, high),
#define OPTION_ODD(n, g, f, low, high, i, l, t) #n " must be an odd number from " RANGE(low, high),
#define OPTION_REAL(n, g, f, low, high, i, l, t) #n " must be " RANGE(low, high),
#define OPTION_INT_AUTO(n, g, f, low, high, i, l, t, a) #n " must be " RANGE(0, high),
#define OPTION_ODD_AUTO(n, g, f, low, high, i, l, t, a) \
#n " must be 0 or an odd number from " RANGE(low, high),
#define OPTION_REAL_AUTO(n, g, f, low, high, i, l, t, a) #n " must be 0 or " RANGE(low, high),
#define OPTION_SEED(n, g, f, l, t) #n " must be 0 to 18446744073709551615",

static const char *const ranges[] = {
#include "options/options.def"
};

#define COUNT ((int)(sizeof table / sizeof table[0]))
static_assert(sizeof ranges / sizeof ranges[0] == COUNT, "one text per option");

int cof_option_count(void)
{
    return COUNT;
}

const CofOptionInfo *cof_option_info(int index)
{
    return index >= 0 && index < COUNT ? &table[index] : NULL;
}

const CofOptionInfo *cof_option_find(const char *name)
{
    for (int i = 0; i < COUNT && name; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const char *cofi_option_range(const CofOptionInfo *info)
{
    assert(info >= table && info < table + COUNT);
    return ranges[info - table];
}

double cofi_option_get(const CofOptions *options, const CofOptionInfo *info)
{
    assert(!(info->flags & COF_OPTION_FLAG_NO_FIELD));
    const char *field = (const char *)options + info->offset;
    int whole;
    uint64_t wide;
    double real;
    switch (info->type) {
    case COF_OPTION_TYPE_DOUBLE:
        memcpy(&real, field, sizeof real);
        return real;
    case COF_OPTION_TYPE_UINT64:
        memcpy(&wide, field, sizeof wide);
        return (double)wide;
    case COF_OPTION_TYPE_INT:
    case COF_OPTION_TYPE_CHOICE:
        break;
    }
    memcpy(&whole, field, sizeof whole);
    return whole;
}

void cofi_option_put(CofOptions *options, const CofOptionInfo *info, double value)
{
    assert(!(info->flags & COF_OPTION_FLAG_NO_FIELD));
    char *field = (char *)options + info->offset;
    int whole =
        info->type == COF_OPTION_TYPE_INT || info->type == COF_OPTION_TYPE_CHOICE ? (int)value : 0;
    uint64_t wide = info->type == COF_OPTION_TYPE_UINT64 ? (uint64_t)value : 0;
    if (info->type == COF_OPTION_TYPE_DOUBLE)
        memcpy(field, &value, sizeof value);
    else if (info->type == COF_OPTION_TYPE_UINT64)
        memcpy(field, &wide, sizeof wide);
    else
        memcpy(field, &whole, sizeof whole);
}

int cofi_option_allows(const CofOptionInfo *info, double value)
{
    if ((info->flags & COF_OPTION_FLAG_AUTO) && value == 0)
        return 1;
    if (!(value >= info->minimum && value <= info->maximum))
        return 0;
    return !(info->flags & COF_OPTION_FLAG_ODD) || (int)value % 2 != 0;
}
