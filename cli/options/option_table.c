/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of options and subcommands. */
#include "options/option_table.h"

#include <stdio.h>
#include <string.h>

const SubcommandRow subcommand_table[] = {
    {CMD_FILTER, "filter",
     "cof [filter] [OPTION]... INPUT OUTPUT\n       cof [filter] [OPTION]... INPUT... -o FOLDER",
     "Smooths the textures of pictures and keeps the boundaries between them."},
    {CMD_LEARN, "learn", "cof learn [OPTION]... IMAGE... -o MODEL",
     "Learns from pictures what occurs together, and saves that as a model."},
    {CMD_APPLY, "apply", "cof apply [OPTION]... MODEL INPUT OUTPUT",
     "Filters a picture with a model, or with statistics."},
    {CMD_MERGE, "merge", "cof merge STATISTICS... -o STATISTICS",
     "Adds up statistics that were learned with the same palette."},
    {CMD_SELECT, "select", "cof select [OPTION]... INPUT -o MASK",
     "Makes a mask of what a few scribbled pixels belong to."},
    {CMD_FOCUS, "focus", "cof focus [OPTION]... INPUT OUTPUT",
     "Keeps what was chosen; smooths, greys, tints or replaces all else."},
    {CMD_RECOLOUR, "recolour", "cof recolour [OPTION]... INPUT OUTPUT",
     "Gives what was chosen another colour; lightness and texture stay."},
    {CMD_VIDEO, "video", "cof video [OPTION]... INPUT OUTPUT",
     "Filters a film, frame by frame, with what was learned once, or follows it."},
    {CMD_SHOW, "show", "cof show [OPTION]... FILE -o PICTURE",
     "Draws a model, or what is learned from a picture and done to it."},
    {CMD_INFO, "info", "cof info [OPTION]... FILE",
     "Tells what a model or a file of statistics holds."},
    {0, NULL, NULL, NULL},
};

#define LEARNS (CMD_FILTER | CMD_LEARN | CMD_SHOW)
#define FILTERS (CMD_FILTER | CMD_APPLY | CMD_SHOW)
#define WRITES (CMD_FILTER | CMD_APPLY)
#define SELECTS (CMD_SELECT | CMD_FOCUS | CMD_RECOLOUR)
#define PAINTS (CMD_FOCUS | CMD_RECOLOUR)
#define SCRIBBLES (SELECTS | CMD_VIDEO)
#define ALL (LEARNS | FILTERS | SELECTS | CMD_VIDEO | CMD_MERGE | CMD_INFO)

const OptionRow option_table[] = {
    {0, NULL, CMD_VIDEO, NULL, "Learning from the film"},
    {OPT_MODEL, "model", CMD_VIDEO, "FILE", "learn nothing, take this model, pair or statistics"},
    {OPT_LEARN_FRAME, "learn-frame", CMD_VIDEO, "N", "learn from this frame (1)"},
    {OPT_ADAPT, "adapt", CMD_VIDEO, "RATE",
     "follow the film: what a new frame counts, 0 to 1; anew after a cut"},
    {OPT_ENCODE, "encode", CMD_VIDEO, "ARGS",
     "arguments of ffmpeg for the output, such as \"-c:v libx265 -crf 18\""},

    {0, NULL, SCRIBBLES, NULL, "Choosing"},
    {OPT_SCRIBBLE, "scribble", SCRIBBLES, "FILE",
     "a picture of the same size; what is not black is chosen, and spread"},
    {OPT_STROKE, "stroke", SCRIBBLES, "POINTS",
     "the same as words: \"X,Y X,Y...:RADIUS\"; may be given again"},
    {OPT_BACKGROUND_SCRIBBLE, "background-scribble", SCRIBBLES, "FILE", "what is not chosen"},
    {OPT_BACKGROUND_STROKE, "background-stroke", SCRIBBLES, "POINTS", "the same as words"},
    {OPT_MASK, "mask", PAINTS | CMD_VIDEO, "FILE", "instead of scribbles: all that is chosen"},
    {OPT_INVERT, "invert", SCRIBBLES, NULL, "choose all else"},
    {OPT_THRESHOLD, "threshold", SCRIBBLES, "T",
     "how much of a pixel must come from scribbles, 0 to 1 (found)"},
    {OPT_SPREAD_WINDOW, "spread-window", SCRIBBLES, "N", "how far a pass spreads, odd (31)"},
    {OPT_SPREAD_PASSES, "spread-passes", SCRIBBLES, "N", "how often scribbles are spread (20)"},
    {OPT_GROW, "grow", SCRIBBLES, "R", "make scribbles wider by so many pixels first (0)"},
    {0, NULL, PAINTS | CMD_VIDEO, NULL, "Changing"},
    {OPT_BACKGROUND, "background", CMD_FOCUS | CMD_VIDEO, "HOW",
     "smooth, grey, tint=#RRGGBB or image=FILE (smooth)"},
    {OPT_TO, "to", CMD_RECOLOUR, "#RRGGBB", "the colour that it gets"},
    {OPT_ITERATIONS, "iterations", CMD_FOCUS, "N", "passes of smoothing, 1 to 1000 (5)"},
    {OPT_WINDOW, "window", CMD_FOCUS, "N", "odd side of the windows, 1 to 63 (15)"},
    {OPT_GAP, "gap", CMD_FOCUS | CMD_VIDEO, "R",
     "learn nothing of the background so near to what was chosen (3)"},
    {OPT_MATTE, "matte", PAINTS, "FILE", "save how much of each pixel is chosen"},
    {OPT_SAVE_MODEL, "save-model", CMD_FOCUS | CMD_VIDEO, "FILE",
     "keep what was learned: of what was chosen, and of all else"},

    {0, NULL, LEARNS | FILTERS | CMD_VIDEO, NULL,
     "Looks: options for a purpose, by the size of the picture"},
    {OPT_LOOK, "look", LEARNS | FILTERS | CMD_VIDEO, "L",
     "subtle (no grain), texture (no texture) or cartoon (a few colours)"},
    {OPT_COARSE, "coarse", LEARNS | FILTERS | CMD_VIDEO, "N",
     "learn, and make all passes but the last, reduced by this factor (1)"},

    {0, NULL, LEARNS | CMD_VIDEO, NULL, "Learning"},
    {OPT_WINDOW, "window", LEARNS | CMD_VIDEO, "N",
     "odd side of the learning window, 1 to 63 (15)"},
    {OPT_SIGMA, "sigma", LEARNS | CMD_VIDEO, "S",
     "std of the learning Gaussian in pixels (from the window)"},
    {OPT_COLOURS, "colours", LEARNS | SCRIBBLES, "K",
     "size of the palette of a colour picture, 1 to 256 (32)"},
    {OPT_LEVELS, "levels", LEARNS | SCRIBBLES, "K",
     "bins of a grey picture, 2 to 256 (256: exact for 8 bits)"},
    {OPT_RANGE, "range", LEARNS | CMD_VIDEO, "LOW,HIGH",
     "what the bins span (the values that there are)"},
    {OPT_SEED, "seed", LEARNS | CMD_VIDEO, "N", "of the search for the palette (0)"},
    {OPT_SAMPLING, "sampling", LEARNS | CMD_VIDEO, "S", "auto, or all: count every pair (auto)"},
    {OPT_SOFTNESS, "softness", LEARNS | SCRIBBLES, "F",
     "how far a colour counts for similar ones; 0 = hard (0.75)"},
    {OPT_EXACT_SOFT, "exact-soft", CMD_FILTER | CMD_LEARN, NULL,
     "weigh each pixel by its own distance to the colours (slow)"},
    {OPT_NORMALISE, "normalise", LEARNS | CMD_VIDEO, "N", "counts or marginals (counts)"},
    {OPT_MASK, "mask", LEARNS, "FILE", "learn only where this picture is not black"},
    {OPT_REGION, "region", LEARNS, "X,Y,W,H", "learn only inside this rectangle"},
    {OPT_FROM, "from", CMD_FILTER, "FILE", "learn from this picture instead; may be given again"},
    {OPT_PALETTE_FROM, "palette-from", LEARNS, "FILE",
     "take the palette of this model or these statistics"},
    {OPT_MODEL, "model", CMD_FILTER, "FILE", "learn nothing, take this model or statistics"},
    {OPT_SAVE_MODEL, "save-model", CMD_FILTER, "FILE", "keep what was learned"},
    {OPT_MATRIX, "matrix", CMD_FILTER, "FILE", "take this symmetric matrix (CSV) for M"},
    {OPT_LABELS, "labels", CMD_FILTER, "FILE",
     "8-bit picture of labels to use instead of a palette"},
    {OPT_CONVERGENCE, "convergence", CMD_SHOW, NULL, "draw how much each pass changes"},
    {OPT_STATS, "stats", CMD_LEARN, NULL, "save statistics, which can be merged, not a model"},

    {0, NULL, FILTERS | CMD_VIDEO, NULL, "Filtering"},
    {OPT_FILTER_WINDOW, "filter-window", FILTERS | CMD_VIDEO, "N",
     "odd side, 1 to 255 (the learning window)"},
    {OPT_FILTER_SIGMA, "filter-sigma", FILTERS | CMD_VIDEO, "S",
     "std in pixels (the learning sigma)"},
    {OPT_ITERATIONS, "iterations", FILTERS | CMD_VIDEO, "N", "passes, 1 to 1000 (1)"},
    {OPT_UNTIL, "until", FILTERS | CMD_VIDEO, "C",
     "stop after a pass that changes less (mean square)"},
    {OPT_RELABEL, "relabel", FILTERS | CMD_VIDEO, NULL,
     "look anew which colours there are before each pass"},
    {OPT_ROLLING, "rolling", CMD_FILTER, NULL, "learn anew before each pass"},
    {OPT_GUIDE, "guide", FILTERS, "FILE", "let the values of this picture decide what mixes"},
    {OPT_BORDER, "border", FILTERS | CMD_VIDEO, "B", "clip, mirror or reflect101 (clip)"},
    {OPT_SPACE, "space", FILTERS | CMD_VIDEO, "S", "average colours in lab or rgb (lab)"},
    {OPT_METHOD, "method", FILTERS | CMD_VIDEO, "M",
     "exact, fast, or auto: fast where that saves half of the time (exact)"},
    {OPT_ACCURACY, "accuracy", FILTERS | CMD_VIDEO, "DB",
     "how near to exact the fast method keeps, 30 to 70 dB (45)"},
    {OPT_PRESET, "preset", LEARNS | CMD_VIDEO, "P",
     "paper, authors or app: sets sigmas, softness, normalise, border"},

    {0, NULL, ALL, NULL, "Files and running"},
    {OPT_OUTPUT, "output", LEARNS | CMD_MERGE | CMD_SELECT, "FILE",
     "also -o; of several inputs, a folder"},
    {OPT_FORMAT, "format", WRITES | SELECTS, "ENDING",
     "of what is written to - (.png, .jpg[Q=90]); else as the input"},
    {OPT_RAW, "raw", CMD_FILTER, "WxH:FORMAT", "frames from - to -, such as 1920x1080:rgb24"},
    {OPT_SKIP_EXISTING, "skip-existing", CMD_FILTER, NULL,
     "do nothing where the output is there already"},
    {OPT_DETAIL, "detail", WRITES, "FILE", "save what was removed, around middle grey"},
    {OPT_COMPARE, "compare", WRITES | PAINTS, "FILE", "save before and after, side by side"},
    {OPT_REPORT, "report", WRITES, "FILE",
     "save what was done, as JSON: times, change of each pass"},
    {OPT_JSON, "json", CMD_INFO, NULL, "as JSON"},
    {OPT_PRINT_MATRIX, "matrix", CMD_INFO, NULL, "print M as CSV"},
    {OPT_THREADS, "threads", LEARNS | FILTERS | SCRIBBLES, "N", "0 = one per core (0)"},
    {OPT_QUIET, "quiet", LEARNS | FILTERS | SCRIBBLES, NULL, "no progress, even on a terminal"},
    {OPT_HELP, "help", ALL, NULL, "this text"},
    {OPT_VERSION, "version", ALL, NULL, "the version"},
    {OPT_END, NULL, 0, NULL, NULL},
};

const OptionRow *option_row(OptionId id)
{
    const OptionRow *row = option_table;
    while (row->id != OPT_END && row->id != id)
        row++;
    return row;
}

static void print_options(Subcommand subcommand)
{
    for (const OptionRow *row = option_table; row->id != OPT_END; row++) {
        char name[64];
        if (!(row->subcommands & subcommand))
            continue;
        if (!row->name) {
            printf("\n%s\n", row->help);
            continue;
        }
        snprintf(name, sizeof name, "--%s%s%s", row->name, row->value ? " " : "",
                 row->value ? row->value : "");
        printf("  %-20s %s\n", name, row->help);
    }
}

static const char statuses[] =
    "\nExit status: 0 done, 1 a file or its content is at fault, 2 wrong usage.\n";

static const char examples[] =
    "\n"
    "Examples\n"
    "  cof photo.jpg smooth.jpg                        smooth a photograph\n"
    "  cof --iterations 5 --mask sky.png in.tif out.tif   smooth what looks like the sky\n"
    "  cof --look texture photo.jpg flat.jpg           take all texture away\n"
    "  cof *.jpg -o smooth/                            smooth many\n"
    "\n"
    "cof filter --help lists the options. - is standard input or output.\n";

void print_help(const SubcommandRow *subcommand)
{
    if (subcommand) {
        printf("Usage: %s\n%s\n", subcommand->usage, subcommand->help);
        print_options(subcommand->subcommand);
        fputs(statuses, stdout);
        return;
    }
    printf("Usage: cof [OPTION]... INPUT OUTPUT\n       cof SUBCOMMAND ...\n%s\n\nSubcommands\n",
           subcommand_table[0].help);
    for (const SubcommandRow *row = subcommand_table; row->name; row++)
        printf("  %-8s %s\n", row->name, row->help);
    fputs(examples, stdout);
    fputs(statuses, stdout);
}
