/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's options, as the command line sets them. */
#include "options/arguments_options.h"

#include <assert.h>
#include <string.h>

#define LARGE_SIDE (1 << 20)

static int find_index(const char *name)
{
    int i = 0;
    while (i < cof_option_count() && strcmp(cof_option_info(i)->name, name) != 0)
        i++;
    assert(i < cof_option_count());
    return i;
}

const char *arguments_value(const Arguments *a, const char *name)
{
    return a->library[find_index(name)];
}

/* Values were checked when they were parsed. The table begins with preset and variant, which later
 * options override. */
static CofOptions make_options(const Arguments *a, bool with_preset, int width, int height)
{
    CofOptions options;
    CofStatus status = COF_OK;
    cof_options_init(&options);
    if (with_preset)
        options.size = a->options.size; /* which the preset needs */
    for (int i = 0; i < cof_option_count() && status == COF_OK; i++) {
        const CofOptionInfo *info = cof_option_info(i);
        bool is_preset = info->flags & COF_OPTION_FLAG_NO_FIELD;
        if (!a->library[i] || (is_preset && !with_preset))
            continue;
        status = is_preset ? cof_options_set_preset(&options, a->preset, width, height, NULL)
                           : cof_options_set(&options, info->name, a->library[i], NULL);
    }
    assert(status == COF_OK);
    /* A preset sets both factors; the user's factor replaces both, unless each is given. */
    if (with_preset && arguments_value(a, "preset") && arguments_value(a, "downscale") &&
        !arguments_value(a, "filter_downscale"))
        options.filter_downscale = options.downscale;
    if (option_set(a, OPT_RANGE)) {
        options.low = a->low;
        options.high = a->high;
    }
    return options;
}

CofOptions arguments_options(const Arguments *a, int width, int height)
{
    return make_options(a, true, width, height);
}

CofOptions arguments_options_without_preset(const Arguments *a)
{
    return make_options(a, false, 1, 1);
}

bool arguments_may_downscale(const Arguments *a)
{
    CofOptions options = arguments_options(a, LARGE_SIDE, LARGE_SIDE);
    return options.downscale > 1 || options.filter_downscale > 1;
}

const char *arguments_downscale_option(const Arguments *a)
{
    return arguments_value(a, "downscale")          ? "downscale"
           : arguments_value(a, "filter_downscale") ? "filter-downscale"
                                                    : "preset";
}

bool arguments_smooth_by_matte(const Arguments *a)
{
    CofOptions options = arguments_options(a, 1, 1);
    return arguments_value(a, "preset") || options.method != COF_METHOD_EXACT ||
           options.update != COF_UPDATE_NONE || arguments_may_downscale(a);
}

bool arguments_keep_samples(const Arguments *a)
{
    return a->subcommand & (CMD_FILTER | CMD_APPLY) && a->options.strength == 0 && !a->save_model &&
           !a->report && !a->raw;
}

void arguments_set(Arguments *a, const char *name, const char *value)
{
    a->library[find_index(name)] = value;
    a->options = arguments_options_without_preset(a);
}
