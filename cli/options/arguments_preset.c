/* SPDX-License-Identifier: BSD-2-Clause */
/* The options for an image of a known size. A look depends on the size of the image, which is known
 * only after parsing; so the options that were set are applied again on top of it. */
#include "options/arguments_preset.h"

#include <stddef.h>
#include <string.h>

/* The fields of the options that a look can set. */
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
    if (!option_set(a, OPT_LOOK))
        return options;
    cof_options_set_preset(&options, a->look, width, height);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (option_set(a, fields[i].option))
            memcpy((char *)&options + fields[i].offset,
                   (const char *)&a->options + fields[i].offset, fields[i].size);
    return options;
}

bool arguments_may_downscale(const Arguments *a)
{
    return option_set(a, OPT_COARSE) ? a->options.downscale > 1 : option_set(a, OPT_LOOK);
}
