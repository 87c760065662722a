/* SPDX-License-Identifier: BSD-2-Clause */
/* The help, the option lists of the manual page, and what shells complete. */
#include "options/help.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "options/command_options.h"

#define MAX_TEXT 256
#define MAX_COLUMNS 80
#define TEXT_COLUMN 24

/* Ranges up to this number tell the reader something. */
#define MAX_SHOWN 10000

/* Appends to a text, which may be cut off. */
static void append(char text[MAX_TEXT], const char *more)
{
    snprintf(text + strlen(text), MAX_TEXT - strlen(text), "%s", more);
}

static void append_number(char text[MAX_TEXT], double number)
{
    snprintf(text + strlen(text), MAX_TEXT - strlen(text), "%g", number);
}

static void append_range(char text[MAX_TEXT], const CofOptionInfo *info)
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
static void append_default(char text[MAX_TEXT], const CofOptionInfo *info, Subcommand subcommand)
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

/* What an option does, its range and its default. */
static void describe(const Option *option, Subcommand subcommand, char text[MAX_TEXT])
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

/* The name of the value, such as N or exact|fast|auto; empty if there is none. */
static void describe_value(const Option *option, char text[MAX_TEXT])
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

/* Prints words from the text column on, with line breaks. */
static void print_wrapped(const char *text, int column)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (column > TEXT_COLUMN && column + 1 + length > MAX_COLUMNS) {
            printf("\n%*s", TEXT_COLUMN, "");
            column = TEXT_COLUMN;
        }
        bool first = column <= TEXT_COLUMN;
        column += printf("%s%.*s", first ? "" : " ", length, text);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

static void print_option(const Option *option, Subcommand subcommand)
{
    char value[MAX_TEXT], text[MAX_TEXT], letter[] = {'-', option->letter, ',', ' ', '\0'};
    describe_value(option, value);
    describe(option, subcommand, text);
    int column = printf("  %s--%s%s%s", option->letter ? letter : "", option->name,
                        value[0] != '\0' ? " " : "", value);
    if (column > TEXT_COLUMN - 2) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", TEXT_COLUMN - column, "");
    print_wrapped(text, TEXT_COLUMN);
}

static void print_options(Subcommand subcommand)
{
    Option options[MAX_OPTIONS];
    int n = options_of(subcommand, options);
    for (Section section = 0; section < SECTION_COUNT; section++) {
        bool any = false;
        for (int i = 0; i < n; i++) {
            if (options[i].section != section)
                continue;
            if (!any)
                printf("\n%s\n", section_titles[section]);
            any = true;
            print_option(&options[i], subcommand);
        }
    }
}

static const char statuses[] =
    "\nExit status: 0 success, 1 a file or its content is at fault, 2 wrong usage.\n";

static const char examples[] =
    "\n"
    "Examples\n"
    "  cof photo.jpg smooth.jpg                  smooth an image\n"
    "  cof --preset texture photo.jpg flat.jpg   remove texture\n"
    "  cof --mask sky.png in.tif out.tif         smooth values that occur in the sky\n"
    "  cof *.jpg -o smooth/                      smooth many images\n"
    "\n"
    "cof SUBCOMMAND --help lists the options; those of filter can be used without a\n"
    "subcommand. The file name - is standard input or output.\n";

void print_help(const SubcommandRow *subcommand)
{
    if (subcommand) {
        printf("Usage: %s\n%s\n", subcommand->usage, subcommand->help);
        print_options(subcommand->subcommand);
        fputs(statuses, stdout);
        return;
    }
    printf("Usage: cof [OPTION]... INPUT OUTPUT\n       cof SUBCOMMAND ...\n%s\n\nSubcommands\n",
           subcommand_table[0].help);
    for (const SubcommandRow *row = subcommand_table; row->name; row++)
        printf("  %-9s %s\n", row->name, row->help);
    fputs(examples, stdout);
    fputs(statuses, stdout);
}

/* Prints text in which scdoc finds no markup. */
static void print_escaped(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\_*~#", *text))
            putchar('\\');
        putchar(*text);
    }
}

void print_manual_list(const SubcommandRow *subcommand)
{
    Option options[MAX_OPTIONS];
    int n = options_of(subcommand->subcommand, options);
    char value[MAX_TEXT], text[MAX_TEXT];
    for (int i = 0; i < n; i++) {
        describe_value(&options[i], value);
        describe(&options[i], subcommand->subcommand, text);
        if (options[i].letter)
            printf("*-%c*, ", options[i].letter);
        printf("*--%s*", options[i].name);
        if (value[0] != '\0') {
            fputs(" _", stdout);
            print_escaped(value);
            putchar('_');
        }
        fputs("\n\t", stdout);
        print_escaped(text);
        fputs("\n\n", stdout);
    }
}

void print_subcommands(void)
{
    for (const SubcommandRow *row = subcommand_table; row->name; row++)
        puts(row->name);
}

void print_option_names(const SubcommandRow *subcommand)
{
    Option options[MAX_OPTIONS];
    int n = options_of(subcommand->subcommand, options);
    for (int i = 0; i < n; i++)
        printf("--%s\t%s\n", options[i].name,
               options[i].info ? options[i].info->help : options[i].own->text);
}

/* Prints the words of an option of a subcommand; false if it has no such option. */
static bool print_option_words(Subcommand subcommand, const char *name)
{
    Option options[MAX_OPTIONS];
    int n = options_of(subcommand, options);
    for (int i = 0; i < n; i++) {
        if (!is_word(name, options[i].name))
            continue;
        for (int k = 0; options[i].words && options[i].words[k]; k++)
            puts(options[i].words[k]);
        if (options[i].has_value && !options[i].words)
            puts("*");
        return true;
    }
    return false;
}

void print_words(const char *name)
{
    const SubcommandRow *subcommand = find_subcommand(name);
    if (subcommand)
        puts(subcommand->takes_cof ? "*.cof" : "*");
    if (strncmp(name, "--", 2) != 0)
        return;
    for (const SubcommandRow *row = subcommand_table; row->name; row++)
        if (print_option_words(row->subcommand, name + 2))
            return;
}
