/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of options in the manual page. */
#include "options/manual_list.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "options/option_text.h"

/* More than there are. */
#define MAX_ENTRIES 256

/* An option as some subcommands describe it. */
typedef struct Entry {
    Option option;
    unsigned subcommands;
    char value[MAX_OPTION_TEXT], text[MAX_OPTION_TEXT];
} Entry;

/* Prints text in which scdoc finds no markup. */
static void print_escaped(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\_*~#", *text))
            putchar('\\');
        putchar(*text);
    }
}

static bool is_same(const Entry *a, const Entry *b)
{
    return strcmp(a->option.name, b->option.name) == 0 && strcmp(a->value, b->value) == 0 &&
           strcmp(a->text, b->text) == 0;
}

/* Adds an option of a subcommand to those of others that describe it alike. */
static int add_entry(Entry *entries, int n, const Option *option, Subcommand subcommand)
{
    Entry entry = {.option = *option, .subcommands = subcommand};
    option_describe_value(option, entry.value);
    option_describe(option, subcommand, entry.text);
    for (int i = 0; i < n; i++)
        if (is_same(&entries[i], &entry)) {
            entries[i].subcommands |= subcommand;
            return n;
        }
    assert(n < MAX_ENTRIES);
    entries[n] = entry;
    return n + 1;
}

static int collect(Entry *entries)
{
    Option options[MAX_OPTIONS];
    int n = 0;
    for (const SubcommandRow *row = subcommand_table; row->name; row++) {
        int n_options = options_of(row->subcommand, options);
        for (int i = 0; i < n_options; i++)
            n = add_entry(entries, n, &options[i], row->subcommand);
    }
    return n;
}

/* The subcommands in brackets, unless they are all. */
static void print_subcommands_of(const Entry *entry)
{
    unsigned all = 0;
    for (const SubcommandRow *row = subcommand_table; row->name; row++)
        all |= row->subcommand;
    const char *separator = " (";
    for (const SubcommandRow *row = subcommand_table; entry->subcommands != all && row->name; row++)
        if (entry->subcommands & row->subcommand) {
            printf("%s%s", separator, row->name);
            separator = ", ";
        }
    fputs(entry->subcommands == all ? "\n\t" : ")\n\t", stdout);
}

static void print_entry(const Entry *entry)
{
    if (entry->option.letter)
        printf("*-%c*, ", entry->option.letter);
    printf("*--%s*", entry->option.name);
    if (entry->value[0] != '\0') {
        fputs(" _", stdout);
        print_escaped(entry->value);
        putchar('_');
    }
    print_subcommands_of(entry);
    print_escaped(entry->text);
    fputs("\n\n", stdout);
}

/* Prints the entries of a section; those of one name together. */
static void print_section(const Entry *entries, int n, Section section)
{
    bool printed[MAX_ENTRIES] = {false}, any = false;
    for (int i = 0; i < n; i++)
        any = any || entries[i].option.section == section;
    if (any)
        printf("## %s\n\n", section_titles[section]);
    for (int i = 0; i < n; i++)
        for (int k = i; k < n && entries[i].option.section == section; k++)
            if (!printed[k] && entries[k].option.section == section &&
                strcmp(entries[i].option.name, entries[k].option.name) == 0) {
                print_entry(&entries[k]);
                printed[k] = true;
            }
}

void print_manual_list(void)
{
    static Entry entries[MAX_ENTRIES];
    int n = collect(entries);
    for (Section section = 0; section < SECTION_COUNT; section++)
        print_section(entries, n, section);
}
