/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the command line. */
#ifndef COF_ARGUMENTS_H
#define COF_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cof/cof.h"
#include "io/pages.h"
#include "options/command_options.h"

/* Which pixels hold no data. */
typedef enum NodataRule { NODATA_AUTO, NODATA_NONE, NODATA_VALUE } NodataRule;

/* Which library reads the input: the values of --reader. */
typedef enum Reader { READER_AUTO, READER_VIPS, READER_GDAL } Reader;

/* Numbers of bands, counted from 1. */
typedef struct BandNumbers {
    int numbers[COF_MAX_BANDS];
    int n; /* 0: not set */
} BandNumbers;

typedef struct Arguments {
    Subcommand subcommand;
    char **operands; /* arguments that are not options; with --in-place or --output also the output,
                      * if it is the last operand of the subcommand */
    int n_operands;
    struct FolderWalk *found; /* if folders were among the operands: their images; or NULL */
    const char *library[MAX_LIBRARY_OPTIONS]; /* values of the library's options, in the order of
                                               * cof_option_info(); NULL: not set */
    CofPreset preset;                         /* valid if it is set */
    double low, high;                         /* valid if OPT_RANGE is set */
    /* A string is NULL if its option is not set. */
    const char *output;
    const char *mask, *correct, *labels, *guide, *matrix, *model, *palette_from, *apply_mask;
    const char *device;
    const char *save_model, *residual, *side_by_side, *format, *report, *raw;
    const char **learn_from;
    int n_learn_from;
    const char **scribbles, **background_scribbles; /* more than one only for videos */
    int n_scribbles, n_background_scribbles;
    const char **strokes, **background_strokes;
    int n_strokes, n_background_strokes;
    const char *background, *colour, *matte, *encode;
    double dilate;   /* pixels by which scribbles are widened */
    int learn_frame; /* 0: not set */
    PageRange pages; /* of the input; all 0: all pages */
    PageRange learn_pages;
    bool learn_each_page;
    int reader;       /* Reader */
    int allow_reader; /* index into allow_reader_words, if it is set */
    BandNumbers bands, filter_bands;
    const char **creation_options; /* NAME=VALUE, ends with NULL */
    int n_creation_options;
    NodataRule nodata_rule;
    double nodata;      /* the value, for NODATA_VALUE */
    double adapt;       /* 0: learn once */
    double steady;      /* 0: frames as they are */
    int kind;           /* BandsKind */
    int quality;        /* 0: not set */
    int posterise;      /* 0: not set */
    double min_area;    /* of --posterise, if it is set */
    int64_t max_pixels; /* 0: not set */
    CofRect region;     /* all 0: the whole image */
    bool is_set[OPT_COUNT];
    CofOptions options; /* without the preset, which needs a size: see arguments_options() */
} Arguments;

typedef enum ParseResult { PARSE_RUN, PARSE_EXIT, PARSE_ERROR } ParseResult;

/* Parses the command line. Handles --help and --version (PARSE_EXIT). Prints an error of one line
 * about a malformed argument (PARSE_ERROR). In all cases the caller frees `arguments`. */
ParseResult arguments_read(Arguments *arguments, int argc, char **argv);
void arguments_free(Arguments *arguments);

/* Whether the option was given on the command line. */
static inline bool option_set(const Arguments *arguments, OwnOption option)
{
    return arguments->is_set[option];
}

#endif
