/* SPDX-License-Identifier: BSD-2-Clause */
/* Options in words, for the help and the manual page. */
#include "options/option_text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Ranges up to this number tell the reader something. */
#define MAX_SHOWN 10000

/* Appends to a text, which may be cut off. */
static void append(char text[MAX_OPTION_TEXT], const char *more)
{
    snprintf(text + strlen(text), MAX_OPTION_TEXT - strlen(text), "%s", more);
}

static void append_number(char text[MAX_OPTION_TEXT], double number)
{
    snprintf(text + strlen(text), MAX_OPTION_TEXT - strlen(text), "%g", number);
}

static void append_range(char text[MAX_OPTION_TEXT], const CofOptionInfo *info)
{
    if (info->type == COF_OPTION_TYPE_CHOICE || info->maximum > MAX_SHOWN)
        return;
    append(text, info->flags & COF_OPTION_FLAG_ODD ? "odd, " : "");
    append_number(text, info->minimum);
    append(text, " to ");
    append_number(text, info->maximum);
    append(text, "; ");
}

/* The table describes the default number of passes for all subcommands together. */
static void append_default(char text[MAX_OPTION_TEXT], const CofOptionInfo *info,
                           Subcommand subcommand)
{
    if (info->offset == offsetof(CofOptions, iterations)) {
        append(text, subcommand == CMD_FOCUS ? "default 5" : "default 1");
        return;
    }
    append(text, info->automatic ? "default: " : "default ");
    if (info->automatic)
        append(text, info->automatic);
    else if (info->choices)
        append(text, info->choices[(int)info->default_value]);
    else
        append_number(text, info->default_value);
}

void option_describe(const Option *option, Subcommand subcommand, char text[MAX_OPTION_TEXT])
{
    const CofOptionInfo *info = option->info;
    text[0] = '\0';
    append(text, info ? info->help : option->own->text);
    if (!info || info->flags & COF_OPTION_FLAG_NO_FIELD)
        return;
    append(text, " (");
    append_range(text, info);
    append_default(text, info, subcommand);
    append(text, ")");
}

void option_describe_value(const Option *option, char text[MAX_OPTION_TEXT])
{
    text[0] = '\0';
    if (option->own && option->own->value) {
        append(text, option->own->value);
    } else if (option->words) {
        for (int i = 0; option->words[i]; i++) {
            append(text, i > 0 ? "|" : "");
            append(text, option->words[i]);
        }
    } else if (option->info) {
        append(text, option->info->type == COF_OPTION_TYPE_DOUBLE ? "X" : "N");
    }
}
