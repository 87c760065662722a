/* SPDX-License-Identifier: BSD-2-Clause */
/* The help, and what shells complete. */
#include "options/help.h"

#include <stdio.h>
#include <string.h>

#include "options/option_text.h"

#define MAX_COLUMNS 80
#define TEXT_COLUMN 24

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
    char value[MAX_OPTION_TEXT], text[MAX_OPTION_TEXT],
        letter[] = {'-', option->letter, ',', ' ', '\0'};
    option_describe_value(option, value);
    option_describe(option, subcommand, text);
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

static const char marking[] =
    "\n"
    "How to mark an object\n"
    "  Point at it in an image viewer or editor that shows coordinates, and write\n"
    "  them as a stroke: --stroke \"150,300 230,420:6\". Or paint over the object in\n"
    "  an editor, in white on a black layer above the image, and save that layer\n"
    "  alone: --scribble layer.png. An SVG drawing with white lines will do, too.\n";

static const char examples[] =
    "\n"
    "Examples\n"
    "  cof --preset subtle photo.jpg smooth.jpg  smooth an image\n"
    "  cof --preset texture photo.jpg flat.jpg   remove texture\n"
    "  cof --mask sky.png in.tif out.tif         smooth values that occur in the sky\n"
    "  cof photos/ -o smooth/                    smooth the images of a folder\n"
    "  cof focus --stroke 150,300 in.jpg out.jpg smooth all but an object\n"
    "\n"
    "cof SUBCOMMAND --help lists the options; those of filter can be used without a\n"
    "subcommand. The file name - is standard input or output.\n";

void print_help(const SubcommandRow *subcommand)
{
    if (subcommand) {
        printf("Usage: %s\n%s\n", subcommand->usage, subcommand->help);
        print_options(subcommand->subcommand);
        if (subcommand->subcommand & (CMD_SELECT | CMD_FOCUS | CMD_RECOLOUR))
            fputs(marking, stdout);
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
