/* SPDX-License-Identifier: BSD-2-Clause */
/* The option table and the options of the session, for JavaScript. */
#include "web_options.h"

#include <string.h>

int web_option_count(void)
{
    return cof_option_count();
}

const char *web_option_name(int index)
{
    return cof_option_info(index)->name;
}

const char *web_option_label(int index)
{
    return cof_option_info(index)->label;
}

const char *web_option_help(int index)
{
    return cof_option_info(index)->help;
}

const char *web_option_automatic(int index)
{
    return cof_option_info(index)->automatic;
}

const char *web_option_choice(int index, int choice)
{
    const char *const *choices = cof_option_info(index)->choices;
    return choices ? choices[choice] : NULL;
}

int web_option_type(int index)
{
    return (int)cof_option_info(index)->type;
}

int web_option_group(int index)
{
    return (int)cof_option_info(index)->group;
}

unsigned web_option_flags(int index)
{
    return cof_option_info(index)->flags;
}

double web_option_minimum(int index)
{
    return cof_option_info(index)->minimum;
}

double web_option_maximum(int index)
{
    return cof_option_info(index)->maximum;
}

double web_option_default(int index)
{
    return cof_option_info(index)->default_value;
}

void web_options_init(void)
{
    cof_options_init(&web_session.options);
}

CofStatus web_options_preset(int preset, int width, int height)
{
    return cof_options_set_preset(&web_session.options, (CofPreset)preset, width, height,
                                  &web_session.problem);
}

CofStatus web_options_set(const char *name, const char *value)
{
    return cof_options_set(&web_session.options, name, value, &web_session.problem);
}

CofStatus web_options_check(void)
{
    return cof_options_check(&web_session.options, &web_session.problem);
}

double web_options_get(int index)
{
    double value = 0;
    CofStatus status = cof_option_get(&web_session.options, cof_option_info(index), &value);
    return status == COF_OK ? value : 0;
}

uint64_t web_options_get_seed(int index)
{
    uint64_t seed;
    const char *field = (const char *)&web_session.options + cof_option_info(index)->offset;
    memcpy(&seed, field, sizeof seed);
    return seed;
}

CofOptions *web_options_data(void)
{
    return &web_session.options;
}

size_t web_options_size(void)
{
    return sizeof web_session.options;
}
