/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the command line. */
#ifndef COF_ARGUMENTS_H
#define COF_ARGUMENTS_H

#include <stdbool.h>

#include "cof/cof.h"
#include "options/option_table.h"

typedef struct Arguments {
    Subcommand subcommand;
    char **operands; /* arguments that are not options */
    int n_operands;
    /* A string is NULL if its option is not set. */
    const char *output;
    const char *mask, *labels, *guide, *matrix, *model, *palette_from;
    const char *save_model, *detail, *compare, *format, *report, *raw;
    const char **from;
    int n_from;
    const char **scribbles, **background_scribbles; /* more than one only for videos */
    int n_scribbles, n_background_scribbles;
    const char *background, *to, *matte;
    const char **strokes, **background_strokes;
    int n_strokes, n_background_strokes;
    int spread_window, spread_passes;
    double threshold; /* 0: chosen automatically */
    double grow;      /* pixels by which scribbles are dilated */
    double gap;       /* pixels around the selection that are not learned as background */
    int learn_frame;  /* 0: not set */
    double adapt;     /* 0: learn once */
    const char *encode;
    CofRect region;     /* all 0: the whole image */
    CofPreset look;     /* valid if OPT_LOOK is set */
    CofOptions options; /* without the effect of `look`: see arguments_options() */
    bool is_set[OPT_END - OPT_ACCURACY];
} Arguments;

typedef enum ParseResult { PARSE_RUN, PARSE_EXIT, PARSE_ERROR } ParseResult;

/* Parses the command line. Handles --help and --version (PARSE_EXIT). Prints an error of one line
 * about a malformed argument (PARSE_ERROR). In all cases the caller frees `arguments`. */
ParseResult arguments_read(Arguments *arguments, int argc, char **argv);
void arguments_free(Arguments *arguments);

/* Whether the option was given on the command line. */
static inline bool option_set(const Arguments *arguments, OptionId option)
{
    return arguments->is_set[option - OPT_ACCURACY];
}

#endif
