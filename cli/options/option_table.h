/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of options and subcommands. */
#ifndef COF_OPTION_TABLE_H
#define COF_OPTION_TABLE_H

/* Subcommands, as bits of a set. */
typedef enum Subcommand {
    CMD_FILTER = 1,
    CMD_LEARN = 2,
    CMD_MERGE = 4,
    CMD_APPLY = 8,
    CMD_INFO = 16,
    CMD_SHOW = 32,
    CMD_SELECT = 64,
    CMD_FOCUS = 128,
    CMD_RECOLOUR = 256,
    CMD_VIDEO = 512
} Subcommand;

typedef struct SubcommandRow {
    Subcommand subcommand;
    const char *name, *usage, *help;
} SubcommandRow;

/* Ends with a row whose name is NULL. */
extern const SubcommandRow subcommand_table[];

typedef enum OptionId {
    OPT_ACCURACY = 256, /* above all characters, which getopt also returns */
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
    unsigned subcommands;
    const char *value; /* the name of the value in the help; NULL if the option takes none */
    const char *help;
} OptionRow;

/* In the order of the help. A row whose name is NULL is a heading. Ends with OPT_END. */
extern const OptionRow option_table[];

/* The first row of an option. */
const OptionRow *option_row(OptionId id);

/* Prints the help of a subcommand, or of `cof` if it is NULL. */
void print_help(const SubcommandRow *subcommand);

#endif
