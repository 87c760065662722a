/* SPDX-License-Identifier: BSD-2-Clause */
/* All options and subcommands: their names, where they may stand, and what they are for. */
#ifndef COF_OPTION_TABLE_H
#define COF_OPTION_TABLE_H

/* Subcommands, as bits. */
typedef enum Verb {
    VERB_FILTER = 1,
    VERB_LEARN = 2,
    VERB_MERGE = 4,
    VERB_APPLY = 8,
    VERB_INFO = 16,
    VERB_SHOW = 32,
    VERB_SELECT = 64,
    VERB_FOCUS = 128,
    VERB_RECOLOUR = 256,
    VERB_VIDEO = 512
} Verb;

typedef struct VerbRow {
    Verb verb;
    const char *name, *usage, *about;
} VerbRow;

/* Ends with a name of NULL. */
extern const VerbRow verb_table[];

typedef enum OptionId {
    OPT_ACCURACY = 256, /* beyond all characters */
    OPT_ADAPT,
    OPT_BACKGROUND,
    OPT_BACKGROUND_SCRIBBLE,
    OPT_BACKGROUND_STROKE,
    OPT_BORDER,
    OPT_COARSE,
    OPT_COLOURS,
    OPT_COMPARE,
    OPT_CONVERGENCE,
    OPT_DETAIL,
    OPT_ENCODE,
    OPT_EXACT_SOFT,
    OPT_FILTER_SIGMA,
    OPT_FILTER_WINDOW,
    OPT_FORMAT,
    OPT_FROM,
    OPT_GAP,
    OPT_GROW,
    OPT_GUIDE,
    OPT_HELP,
    OPT_INVERT,
    OPT_ITERATIONS,
    OPT_JSON,
    OPT_LABELS,
    OPT_LEARN_FRAME,
    OPT_LEVELS,
    OPT_LOOK,
    OPT_MASK,
    OPT_MATRIX,
    OPT_MATTE,
    OPT_METHOD,
    OPT_MODEL,
    OPT_NORMALISE,
    OPT_OUTPUT,
    OPT_PALETTE_FROM,
    OPT_PRESET,
    OPT_PRINT_MATRIX,
    OPT_QUIET,
    OPT_RANGE,
    OPT_RAW,
    OPT_REGION,
    OPT_RELABEL,
    OPT_REPORT,
    OPT_ROLLING,
    OPT_SAMPLING,
    OPT_SAVE_MODEL,
    OPT_SCRIBBLE,
    OPT_SEED,
    OPT_SIGMA,
    OPT_SKIP_EXISTING,
    OPT_SOFTNESS,
    OPT_SPACE,
    OPT_SPREAD_PASSES,
    OPT_SPREAD_WINDOW,
    OPT_STATS,
    OPT_STROKE,
    OPT_THREADS,
    OPT_THRESHOLD,
    OPT_TO,
    OPT_UNTIL,
    OPT_VERSION,
    OPT_WINDOW,
    OPT_END
} OptionId;

typedef struct OptionRow {
    OptionId id;
    const char *name;
    unsigned verbs;
    const char *value; /* what it is called in the help; NULL: the option takes none */
    const char *about;
} OptionRow;

/* In the order of the help. A row without a name is a heading. Ends with OPT_END. */
extern const OptionRow option_table[];

/* The row of an option of a subcommand. */
const OptionRow *option_of(OptionId id);

/* Prints what `cof --help`, or with a subcommand, says. */
void print_help(const VerbRow *verb);

#endif
