/* SPDX-License-Identifier: BSD-2-Clause */
/* All options of a subcommand: those of the library, and those that only the command has. */
#ifndef COF_COMMAND_OPTIONS_H
#define COF_COMMAND_OPTIONS_H

#include <stdbool.h>

#include "cof/cof.h"
#include "options/spelling.h"
#include "options/subcommands.h"

/* Options that only the command has. */
typedef enum OwnOption {
    OPT_ADAPT,
    OPT_STEADY,
    OPT_BACKGROUND,
    OPT_BACKGROUND_SCRIBBLE,
    OPT_BACKGROUND_STROKE,
    OPT_BANDS,
    OPT_CO,
    OPT_COLOUR,
    OPT_CONVERGENCE,
    OPT_CORRECT,
    OPT_DEVICE,
    OPT_DEVICES,
    OPT_FORMATS,
    OPT_DILATE,
    OPT_ENCODE,
    OPT_EXACT_SOFT,
    OPT_FILTER_BANDS,
    OPT_FORMAT,
    OPT_APPLY_MASK,
    OPT_GUIDE,
    OPT_HELP,
    OPT_INVERT,
    OPT_IN_PLACE,
    OPT_JSON,
    OPT_KEEP_DAMAGED,
    OPT_KIND,
    OPT_LABELS,
    OPT_LEARN_FRAME,
    OPT_LEARN_FROM,
    OPT_LEARN_PAGES,
    OPT_MASK,
    OPT_MATRIX,
    OPT_MATTE,
    OPT_MAX_PIXELS,
    OPT_MIN_AREA,
    OPT_MODEL,
    OPT_NODATA,
    OPT_OUTPUT,
    OPT_OVERVIEWS,
    OPT_PAGES,
    OPT_PALETTE_FROM,
    OPT_POSTERISE,
    OPT_PRINT_MATRIX,
    OPT_QUALITY,
    OPT_QUIET,
    OPT_RANGE,
    OPT_RAW,
    OPT_READER,
    OPT_ALLOW_READER,
    OPT_RECURSIVE,
    OPT_REGION,
    OPT_REPORT,
    OPT_RESIDUAL,
    OPT_SAVE_MODEL,
    OPT_SCRIBBLE,
    OPT_SIDE_BY_SIDE,
    OPT_SKIP_EXISTING,
    OPT_STATS,
    OPT_STROKE,
    OPT_VERSION,
    OPT_COUNT
} OwnOption;

/* Sections of the help. */
typedef enum Section {
    SECTION_COMMON,
    SECTION_VIDEO,
    SECTION_SELECTION,
    SECTION_EFFECT,
    SECTION_PRESET,
    SECTION_LEARNING,
    SECTION_FILTERING,
    SECTION_FILES,
    SECTION_RASTER,
    SECTION_OTHER,
    SECTION_COUNT
} Section;

extern const char *const section_titles[SECTION_COUNT];

/* The values of --reader, a Reader; ends with NULL. */
extern const char *const reader_words[];

/* An option that only the command has, as some subcommands describe it. */
typedef struct OwnRow {
    OwnOption id;
    const char *name;
    unsigned subcommands;
    Section section;
    const char *value;        /* the name of the value in the help; NULL if there is no value */
    const char *const *words; /* values for completion, ending with NULL; may be NULL */
    const char *text;
} OwnRow;

typedef struct Option {
    const OwnRow *own;         /* NULL for an option of the library */
    const CofOptionInfo *info; /* NULL for an own option */
    int index;                 /* of the library's option, for cof_option_info() */
    char name[MAX_WORD_LENGTH + 1];
    char letter; /* of its short form; 0: none */
    bool has_value;
    Section section;
    const char *const *words;
} Option;

/* More than a subcommand has. */
#define MAX_OPTIONS 96

/* More than the library has. */
#define MAX_LIBRARY_OPTIONS 64

/* Fills `options` with those of a subcommand, in the order of the help; returns their number. */
int options_of(Subcommand subcommand, Option options[MAX_OPTIONS]);

/* The name of an option of the library on the command line: with '-' for '_'. */
void option_name(const CofOptionInfo *info, char name[MAX_WORD_LENGTH + 1]);

/* The name of an own option. */
const char *own_option_name(OwnOption id);

#endif
