/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of subcommands. */
#ifndef COF_SUBCOMMANDS_H
#define COF_SUBCOMMANDS_H

#include <stdbool.h>

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
    unsigned groups; /* the groups of the library's options that it accepts: bits 1 << group */
    bool takes_cof;  /* its operands are .cof files */
    const char *name, *usage, *help;
} SubcommandRow;

/* In the order of the help. Ends with a row whose name is NULL. */
extern const SubcommandRow subcommand_table[];

/* The subcommand of that name, in British or American spelling; NULL if there is none. */
const SubcommandRow *find_subcommand(const char *name);

const SubcommandRow *subcommand_row(Subcommand subcommand);

/* The subcommand whose name is most similar to a word; NULL if none is. */
const char *similar_subcommand(const char *word);

#endif
