/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of subcommands. */
#include "options/subcommands.h"

#include <stddef.h>
#include <string.h>

#include "cof/cof.h"
#include "options/spelling.h"
#include "options/suggest.h"

#define GROUP(NAME) (1u << COF_OPTION_GROUP_##NAME)
#define LEARNING (GROUP(LEARN) | GROUP(MODEL) | GROUP(RUN))
#define FILTERING (GROUP(FILTER) | GROUP(RUN))

const SubcommandRow subcommand_table[] = {
    {CMD_FILTER, GROUP(GENERAL) | LEARNING | FILTERING, false, "filter",
     "cof [filter] [OPTION]... INPUT OUTPUT\n       cof [filter] [OPTION]... INPUT... -o FOLDER\n"
     "       cof [filter] [OPTION]... --in-place FILE...",
     "Smooths textures and keeps the boundaries between them."},
    {CMD_LEARN, GROUP(GENERAL) | LEARNING, false, "learn",
     "cof learn [OPTION]... IMAGE... -o MODEL", "Learns a model or statistics from images."},
    {CMD_APPLY, GROUP(GENERAL) | FILTERING, true, "apply",
     "cof apply [OPTION]... MODEL INPUT OUTPUT",
     "Filters an image with a model or with statistics."},
    {CMD_MERGE, 0, true, "merge", "cof merge STATISTICS... -o STATISTICS",
     "Adds up statistics that have the same palette."},
    {CMD_SELECT, LEARNING | GROUP(SELECT), false, "select", "cof select [OPTION]... INPUT -o MASK",
     "Makes a mask of the object that scribbles mark."},
    {CMD_FOCUS, GROUP(GENERAL) | LEARNING | FILTERING | GROUP(SELECT), false, "focus",
     "cof focus [OPTION]... INPUT OUTPUT",
     "Keeps an object and smooths, greys, tints or replaces the rest."},
    {CMD_RECOLOUR, LEARNING | GROUP(SELECT), false, "recolour",
     "cof recolour [OPTION]... INPUT OUTPUT",
     "Changes the colour of an object and keeps its lightness and texture."},
    {CMD_VIDEO, GROUP(GENERAL) | LEARNING | FILTERING | GROUP(SELECT), false, "video",
     "cof video [OPTION]... INPUT OUTPUT", "Filters a video frame by frame."},
    {CMD_SHOW, GROUP(GENERAL) | LEARNING | FILTERING, false, "show",
     "cof show [OPTION]... FILE -o IMAGE",
     "Draws a model, or what is learned from an image and its result."},
    {CMD_INFO, 0, true, "info", "cof info [OPTION]... FILE",
     "Prints what a model or statistics contain."},
    {0, 0, false, NULL, NULL, NULL},
};

const SubcommandRow *find_subcommand(const char *name)
{
    for (const SubcommandRow *row = subcommand_table; row->name; row++)
        if (is_word(name, row->name))
            return row;
    return NULL;
}

const SubcommandRow *subcommand_row(Subcommand subcommand)
{
    const SubcommandRow *row = subcommand_table;
    while (row->name && row->subcommand != subcommand)
        row++;
    return row;
}

/* What other programs call these, and users therefore try. */
static const char *const synonyms[][2] = {
    {"blur", "filter"},       {"denoise", "filter"}, {"smooth", "filter"},  {"run", "filter"},
    {"fit", "learn"},         {"train", "learn"},    {"mask", "select"},    {"segment", "select"},
    {"blend", "focus"},       {"cutout", "focus"},   {"paint", "recolour"}, {"tint", "recolour"},
    {"clip", "video"},        {"film", "video"},     {"movie", "video"},    {"draw", "show"},
    {"plot", "show"},         {"view", "show"},      {"dump", "info"},      {"inspect", "info"},
    {"version", "--version"},
};

const char *similar_subcommand(const char *word)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (strcmp(word, synonyms[i][0]) == 0)
            return synonyms[i][1];
    const char *names[sizeof subcommand_table / sizeof subcommand_table[0]];
    int n = 0;
    for (; subcommand_table[n].name; n++)
        names[n] = subcommand_table[n].name;
    return suggest(word, names, n);
}
