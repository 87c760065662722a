/* SPDX-License-Identifier: BSD-2-Clause */
/* What was asked for on the command line. */
#ifndef COF_ARGUMENTS_H
#define COF_ARGUMENTS_H

#include <stdbool.h>

#include "cof/cof.h"
#include "options/option_table.h"

typedef struct Arguments {
    Verb verb;
    char **names; /* what is no option */
    int n_names;
    const char *output; /* all of these NULL: not given */
    const char *mask, *labels, *guide, *matrix, *model, *palette_from;
    const char *save_model, *detail, *compare, *format, *report, *raw;
    const char **from;
    int n_from;
    const char **scribbles, **background_scribbles; /* several are for films */
    int n_scribbles, n_background_scribbles;
    const char *background, *to, *matte;
    const char **strokes, **background_strokes;
    int n_strokes, n_background_strokes;
    int spread_window, spread_passes;
    double threshold; /* 0: to be found */
    double grow, gap; /* pixels around scribbles; around the mask, that are not background */
    int learn_frame;  /* 0: the first */
    double adapt;     /* 0: learn once */
    const char *encode;
    CofRect region;     /* all 0: everywhere */
    CofLook look;       /* if it is given */
    CofOptions options; /* without what a look sets: see arguments_options() */
    bool given[OPT_END - OPT_ACCURACY];
} Arguments;

typedef enum Wish { WISH_GO, WISH_NOTHING, WISH_WRONG } Wish;

/* Reads the arguments. Answers --help and --version itself (WISH_NOTHING); complains in one line
 * about what is wrong (WISH_WRONG). */
Wish arguments_read(Arguments *arguments, int argc, char **argv);
void arguments_free(Arguments *arguments);

/* arguments_check.c: do they go together? Complains in one line if not. */
bool arguments_check(const Arguments *arguments);

/* arguments_look.c: the options for a picture of that size. */
CofOptions arguments_options(const Arguments *arguments, int width, int height);

/* May a picture be reduced first? By a look, that depends on its size. */
bool arguments_may_reduce(const Arguments *arguments);

bool is_given(const Arguments *arguments, OptionId option);

#endif
