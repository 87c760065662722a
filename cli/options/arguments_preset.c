/* SPDX-License-Identifier: BSD-2-Clause */
/* What a look makes of the options. It follows the size of a picture, which is not known before
 * that is opened; so it is put under the options that were given, not before them. */
#include <stddef.h>
#include <string.h>

#include "options/arguments.h"

/* Where options of the command line go that a look sets, too. */
typedef struct Field {
    OptionId option;
    size_t offset, size;
} Field;

#define FIELD(option, name) \
    { \
        option, offsetof(CofOptions, name), sizeof((CofOptions *)NULL)->name \
    }

static const Field fields[] = {
    FIELD(OPT_ACCURACY, accuracy),
    FIELD(OPT_BORDER, border),
    FIELD(OPT_COARSE, coarse),
    FIELD(OPT_COLOURS, colours),
    FIELD(OPT_FILTER_SIGMA, filter_sigma),
    FIELD(OPT_FILTER_WINDOW, filter_window),
    FIELD(OPT_ITERATIONS, iterations),
    FIELD(OPT_LEVELS, levels),
    FIELD(OPT_METHOD, method),
    FIELD(OPT_NORMALISE, normalise),
    FIELD(OPT_RELABEL, repeat),
    FIELD(OPT_ROLLING, repeat),
    FIELD(OPT_SIGMA, sigma),
    FIELD(OPT_SOFTNESS, softness),
    FIELD(OPT_UNTIL, until),
    FIELD(OPT_WINDOW, window),
};

CofOptions arguments_options(const Arguments *a, int width, int height)
{
    CofOptions options = a->options;
    if (!is_given(a, OPT_LOOK))
        return options;
    cof_options_look(&options, a->look, width, height);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (is_given(a, fields[i].option))
            memcpy((char *)&options + fields[i].offset,
                   (const char *)&a->options + fields[i].offset, fields[i].size);
    return options;
}

bool arguments_may_reduce(const Arguments *a)
{
    return is_given(a, OPT_COARSE) ? a->options.coarse > 1 : is_given(a, OPT_LOOK);
}
