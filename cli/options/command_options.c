/* SPDX-License-Identifier: BSD-2-Clause */
/* All options of a subcommand: those of the library, and those that only the command has. */
#include "options/command_options.h"

#include <assert.h>
#include <string.h>

#include "io/formats.h"
#include "vips_pixels.h"

#define LEARNS (CMD_FILTER | CMD_LEARN | CMD_SHOW)
#define FILTERS (CMD_FILTER | CMD_APPLY | CMD_SHOW)
#define WRITES (CMD_FILTER | CMD_APPLY)
#define SELECTS (CMD_SELECT | CMD_FOCUS | CMD_RECOLOUR)
#define PAINTS (CMD_FOCUS | CMD_RECOLOUR)
#define SCRIBBLES (SELECTS | CMD_VIDEO)
#define COMPUTES (LEARNS | FILTERS | SCRIBBLES)
#define ALL (COMPUTES | CMD_MERGE | CMD_INFO)
#define READS (LEARNS | FILTERS | SELECTS)

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define COF_FILES WORDS("*.cof")
#define FORMATS WORDS(".png", ".jpg", ".jpg[Q=90]", ".tif", ".webp", ".avif", ".jxl", ".ppm", "COG")

const char *const reader_words[] = {"auto", "vips", "gdal", NULL};

const char *const section_titles[SECTION_COUNT] = {
    [SECTION_COMMON] = "Common options",
    [SECTION_VIDEO] = "Video",
    [SECTION_SELECTION] = "Selecting the object",
    [SECTION_EFFECT] = "Changing the image",
    [SECTION_PRESET] = "Presets and variants",
    [SECTION_LEARNING] = "Learning",
    [SECTION_FILTERING] = "Filtering",
    [SECTION_FILES] = "Input and output",
    [SECTION_RASTER] = "Rasters, with GDAL",
    [SECTION_OTHER] = "Other options",
};

static const OwnRow own_options[] = {
    {OPT_MODEL, "model", CMD_VIDEO, SECTION_VIDEO, "FILE", COF_FILES,
     "use this model, pair of models or statistics instead of learning"},
    {OPT_LEARN_FRAME, "learn-frame", CMD_VIDEO, SECTION_VIDEO, "N", NULL,
     "number of the frame to learn from (default 1)"},
    {OPT_ADAPT, "adapt", CMD_VIDEO, SECTION_VIDEO, "RATE", NULL,
     "follow the video: each frame contributes RATE, the history 1 - RATE (0 to 1)"},
    {OPT_STEADY, "steady", CMD_VIDEO, SECTION_VIDEO, "SHARE", NULL,
     "average over time where nothing moves: weight of preceding frames (0 to 0.99)"},
    {OPT_ENCODE, "encode", CMD_VIDEO, SECTION_VIDEO, "ARGS", NULL,
     "arguments of ffmpeg for the output, such as \"-c:v libx265 -crf 18\""},
    {OPT_KEEP_DAMAGED, "keep-damaged", CMD_VIDEO, SECTION_VIDEO, NULL, NULL,
     "filter what can be decoded of a damaged video, with a note"},

    {OPT_SCRIBBLE, "scribble", SELECTS, SECTION_COMMON, "FILE", NULL,
     "image of the same size; pixels that are not black mark the object"},
    {OPT_SCRIBBLE, "scribble", CMD_VIDEO, SECTION_SELECTION, "FILE@FRAME", NULL,
     "image of the size of a frame; pixels that are not black mark the object"},
    {OPT_STROKE, "stroke", SELECTS, SECTION_COMMON, "POINTS", NULL,
     "line that marks the object: \"X,Y X,Y...:RADIUS\"; can be repeated"},
    {OPT_STROKE, "stroke", CMD_VIDEO, SECTION_SELECTION, "POINTS", NULL,
     "line that marks the object: \"X,Y X,Y...:RADIUS\"; can be repeated"},
    {OPT_BACKGROUND_SCRIBBLE, "background-scribble", SCRIBBLES, SECTION_SELECTION, "FILE", NULL,
     "image that marks the background"},
    {OPT_BACKGROUND_STROKE, "background-stroke", SCRIBBLES, SECTION_SELECTION, "POINTS", NULL,
     "line that marks the background; can be repeated"},
    {OPT_MASK, "mask", PAINTS, SECTION_COMMON, "FILE", NULL,
     "mask of the object, instead of scribbles"},
    {OPT_MASK, "mask", CMD_VIDEO, SECTION_SELECTION, "FILE", NULL,
     "mask of the object in the frame to learn from, instead of scribbles"},
    {OPT_CORRECT, "correct", CMD_SELECT, SECTION_COMMON, "MASK", NULL,
     "mask to correct; strokes that contradict it change it nearby"},
    {OPT_INVERT, "invert", SCRIBBLES, SECTION_SELECTION, NULL, NULL,
     "exchange object and background"},
    {OPT_DILATE, "dilate", SCRIBBLES, SECTION_SELECTION, "R", NULL,
     "widen scribbles by this many pixels (0 to 1000; default 0)"},

    {OPT_BACKGROUND, "background", CMD_FOCUS, SECTION_COMMON, "EFFECT",
     WORDS("smooth", "grey", "transparent", "tint=", "image="),
     "smooth, grey, transparent, tint=COLOUR or image=FILE (default smooth)"},
    {OPT_BACKGROUND, "background", CMD_VIDEO, SECTION_SELECTION, "EFFECT",
     WORDS("smooth", "grey", "tint="), "smooth, grey or tint=COLOUR (default smooth)"},
    {OPT_COLOUR, "colour", CMD_RECOLOUR, SECTION_COMMON, "COLOUR",
     WORDS("black", "white", "grey", "red", "orange", "yellow", "green", "cyan", "blue", "purple",
           "magenta", "pink", "brown"),
     "new colour of the object: a CSS name, #RRGGBB or #RGB, in sRGB"},
    {OPT_MATTE, "matte", PAINTS, SECTION_FILES, "FILE", NULL,
     "save how much of each pixel belongs to the object"},
    {OPT_SAVE_MODEL, "save-model", CMD_FOCUS, SECTION_FILES, "FILE", COF_FILES,
     "save the models of object and background"},
    {OPT_SAVE_MODEL, "save-model", CMD_VIDEO, SECTION_VIDEO, "FILE", COF_FILES,
     "save the model, or the models of object and background"},

    {OPT_RANGE, "range", LEARNS | SCRIBBLES, SECTION_LEARNING, "LOW,HIGH", NULL,
     "range of the bins of a grey image (default: that of the values)"},
    {OPT_EXACT_SOFT, "exact-soft", CMD_FILTER | CMD_LEARN, SECTION_LEARNING, NULL, NULL,
     "assign each pixel by its own distance to the palette (slow)"},
    {OPT_MASK, "mask", LEARNS, SECTION_COMMON, "FILE", NULL,
     "learn only where this image is not black"},
    {OPT_REGION, "region", LEARNS, SECTION_LEARNING, "X,Y,W,H", NULL,
     "learn only inside this rectangle"},
    {OPT_LEARN_FROM, "learn-from", CMD_FILTER, SECTION_LEARNING, "FILE", NULL,
     "learn from this image instead of the input; can be repeated"},
    {OPT_LEARN_PAGES, "learn-pages", CMD_FILTER, SECTION_LEARNING, "PAGES", WORDS("all", "each"),
     "pages to learn one model from: all, N or N-M; each: one model per page (default all)"},
    {OPT_PALETTE_FROM, "palette-from", LEARNS, SECTION_LEARNING, "FILE", COF_FILES,
     "use the palette of this model or these statistics"},
    {OPT_MODEL, "model", CMD_FILTER, SECTION_COMMON, "FILE", COF_FILES,
     "use this model or these statistics instead of learning"},
    {OPT_SAVE_MODEL, "save-model", CMD_FILTER, SECTION_LEARNING, "FILE", COF_FILES,
     "save the model"},
    {OPT_MATRIX, "matrix", CMD_FILTER, SECTION_LEARNING, "FILE", WORDS("*.csv"),
     "use this symmetric matrix (CSV) as M"},
    {OPT_LABELS, "labels", CMD_FILTER, SECTION_LEARNING, "FILE", NULL,
     "8-bit image of labels, used instead of a palette"},
    {OPT_STATS, "stats", CMD_LEARN, SECTION_LEARNING, NULL, NULL,
     "save statistics, which can be merged, instead of a model"},

    {OPT_APPLY_MASK, "apply-mask", WRITES, SECTION_FILTERING, "FILE", NULL,
     "change only what is white in this image; grey: partly"},
    {OPT_GUIDE, "guide", FILTERS, SECTION_FILTERING, "FILE", NULL,
     "image of the same size whose values determine what is averaged"},
    {OPT_POSTERISE, "posterise", WRITES, SECTION_FILTERING, "N", NULL,
     "paint the result in at most N colours (2 to 256), for tracing; PNG gets a palette"},
    {OPT_MIN_AREA, "min-area", WRITES, SECTION_FILTERING, "SHARE", NULL,
     "share of the image below which --posterise merges islands; 0 keeps all (default 0.00005)"},
    {OPT_CONVERGENCE, "convergence", CMD_SHOW, SECTION_FILTERING, NULL, NULL,
     "draw the change of each pass"},

    {OPT_OUTPUT, "output", CMD_FILTER, SECTION_COMMON, "FILE", NULL,
     "output file, or a folder for several inputs"},
    {OPT_RECURSIVE, "recursive", CMD_FILTER | CMD_LEARN, SECTION_COMMON, NULL, NULL,
     "take all images below an input folder, not only those in it"},
    {OPT_OUTPUT, "output", CMD_LEARN, SECTION_COMMON, "FILE", COF_FILES,
     "file for the model or the statistics"},
    {OPT_OUTPUT, "output", CMD_MERGE, SECTION_COMMON, "FILE", COF_FILES,
     "file for the sum of the statistics"},
    {OPT_OUTPUT, "output", CMD_SELECT, SECTION_COMMON, "FILE", NULL, "file for the mask"},
    {OPT_OUTPUT, "output", CMD_SHOW, SECTION_COMMON, "FILE", NULL, "file for the drawing"},
    {OPT_OUTPUT, "output", CMD_APPLY | CMD_VIDEO | PAINTS, SECTION_FILES, "FILE", NULL,
     "output file, instead of the last name"},
    {OPT_IN_PLACE, "in-place", CMD_FILTER, SECTION_COMMON, NULL, NULL,
     "replace the input files; all names are inputs"},
    {OPT_IN_PLACE, "in-place", CMD_APPLY | PAINTS, SECTION_FILES, NULL, NULL,
     "replace the input file; no output is named"},
    {OPT_IN_PLACE, "in-place", CMD_MERGE, SECTION_COMMON, NULL, NULL,
     "add the other statistics to the first file, instead of --output"},
    {OPT_QUALITY, "quality", WRITES | PAINTS, SECTION_FILES, "Q", NULL,
     "quality of JPEG, WebP, HEIC, AVIF, JPEG 2000 and JPEG XL (1 to 100; default: "
     "that of a JPEG input, else 92)"},
    {OPT_MAX_PIXELS, "max-pixels", COMPUTES, SECTION_FILES, "N", NULL,
     "refuse images of more pixels, such as 400M or 4G (default 4G; 400M for formats that "
     "are decoded as a whole, such as GIF and WebP)"},
    {OPT_KIND, "kind", LEARNS | CMD_APPLY | SELECTS, SECTION_FILES, NULL, NULL,
     "what the bands of the input mean (default auto)"},
    {OPT_NODATA, "nodata", LEARNS | CMD_APPLY | SELECTS, SECTION_FILES, "VALUE",
     WORDS("auto", "none"), "pixels of this value hold no data (default auto: as the file says)"},
    {OPT_READER, "reader", READS, SECTION_RASTER, NULL, reader_words,
     "library that reads the input (default auto: GDAL for rasters with a position, a no-data "
     "value or more than 4 bands, and for formats that only GDAL reads)"},
    {OPT_ALLOW_READER, "allow-reader", READS, SECTION_FILES, NULL, allow_reader_words,
     "also read formats that only this library reads; not safe with files of strangers"},
    {OPT_BANDS, "bands", LEARNS | CMD_APPLY, SECTION_RASTER, "LIST", NULL,
     "bands to learn from, which determine what is averaged, such as 4,3,2 or 1-3 (default: those "
     "that are filtered)"},
    {OPT_FILTER_BANDS, "filter-bands", WRITES, SECTION_RASTER, "LIST", NULL,
     "bands to filter, such as 1-3; the others are copied (default: all but alpha)"},
    {OPT_CO, "co", WRITES, SECTION_RASTER, "NAME=VALUE", NULL,
     "creation option of GDAL for the output, such as COMPRESS=ZSTD; can be repeated"},
    {OPT_OVERVIEWS, "overviews", WRITES, SECTION_RASTER, NULL, NULL,
     "build overviews in the output, as many as the input has, or by powers of two"},
    {OPT_PAGES, "pages", CMD_FILTER | CMD_LEARN | CMD_APPLY, SECTION_FILES, "PAGES", WORDS("all"),
     "pages of the input, counted from 1: all, N or N-M (default all)"},
    {OPT_PAGES, "pages", CMD_SHOW | SELECTS, SECTION_FILES, "N", NULL,
     "page of the input, counted from 1"},
    {OPT_FORMAT, "format", CMD_FILTER, SECTION_FILES, "SUFFIX", FORMATS,
     "format of standard output or of the files in a folder, such as .png or .jpg[Q=90], or a "
     "format of GDAL, such as COG (default: that of the input)"},
    {OPT_FORMAT, "format", CMD_APPLY, SECTION_FILES, "SUFFIX", FORMATS,
     "format of standard output, such as .png, or a format of GDAL, such as COG (default: that of "
     "the input)"},
    {OPT_FORMAT, "format", SELECTS, SECTION_FILES, "SUFFIX", FORMATS,
     "format of standard output, such as .png (default: that of the input)"},
    {OPT_RAW, "raw", CMD_FILTER, SECTION_FILES, "WxH:FORMAT", NULL,
     "filter frames from - to -, such as 1920x1080:rgb24"},
    {OPT_SKIP_EXISTING, "skip-existing", CMD_FILTER, SECTION_FILES, NULL, NULL,
     "skip inputs whose output exists"},
    {OPT_RESIDUAL, "residual", WRITES, SECTION_FILES, "FILE", NULL,
     "save what was removed, around middle grey"},
    {OPT_SIDE_BY_SIDE, "side-by-side", WRITES | PAINTS, SECTION_FILES, "FILE", NULL,
     "save input and output side by side"},
    {OPT_REPORT, "report", WRITES, SECTION_FILES, "FILE", WORDS("*.json"),
     "save options, times and the change of each pass as JSON"},
    {OPT_JSON, "json", CMD_INFO, SECTION_COMMON, NULL, NULL, "print as JSON"},
    {OPT_PRINT_MATRIX, "matrix", CMD_INFO, SECTION_COMMON, NULL, NULL, "print M as CSV"},
    {OPT_FORMATS, "formats", CMD_INFO, SECTION_COMMON, NULL, NULL,
     "list the formats of images, and which library reads them"},
    {OPT_DEVICES, "devices", CMD_INFO, SECTION_COMMON, NULL, NULL,
     "print the devices of OpenCL instead of a file"},
    {OPT_DEVICE, "device", CMD_FILTER | CMD_LEARN | CMD_APPLY | SCRIBBLES, SECTION_OTHER, "DEVICE",
     WORDS("gpu", "cpu"), "run on a device of OpenCL: gpu, cpu or opencl:NAME"},
    {OPT_QUIET, "quiet", COMPUTES, SECTION_OTHER, NULL, NULL, "show no progress and no notes"},
    {OPT_HELP, "help", ALL, SECTION_OTHER, NULL, NULL, "show this help"},
    {OPT_VERSION, "version", ALL, SECTION_OTHER, NULL, NULL, "show the version"},
};

/* Options of the library that most users need. */
static const char *const common_options[] = {"preset",  "size",       "window",
                                             "colours", "iterations", NULL};

/* Options of the library that a subcommand would accept by their group, but cannot use. --range
 * sets low and high. */
static const struct {
    unsigned subcommands;
    const char *name;
} unused_options[] = {
    {ALL, "low"},
    {ALL, "high"},
    {CMD_SELECT | CMD_RECOLOUR, "downscale"},
    {CMD_FOCUS, "variant"},
    {CMD_SELECT | CMD_RECOLOUR, "window"},
    {CMD_SELECT | CMD_RECOLOUR, "gap"},
    {CMD_SELECT | CMD_RECOLOUR, "likelihood"},
};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static bool is_used(const CofOptionInfo *info, const SubcommandRow *row)
{
    if (!(row->groups & 1u << info->group))
        return false;
    for (size_t i = 0; i < LENGTH(unused_options); i++)
        if (unused_options[i].subcommands & row->subcommand &&
            strcmp(unused_options[i].name, info->name) == 0)
            return false;
    return true;
}

static Section section_of(const CofOptionInfo *info)
{
    static const Section sections[] = {
        [COF_OPTION_GROUP_GENERAL] = SECTION_PRESET,
        [COF_OPTION_GROUP_LEARN] = SECTION_LEARNING,
        [COF_OPTION_GROUP_MODEL] = SECTION_LEARNING,
        [COF_OPTION_GROUP_FILTER] = SECTION_FILTERING,
        [COF_OPTION_GROUP_SELECT] = SECTION_SELECTION,
        [COF_OPTION_GROUP_RUN] = SECTION_OTHER,
    };
    return find_word(info->name, common_options) >= 0 ? SECTION_COMMON : sections[info->group];
}

void option_name(const CofOptionInfo *info, char name[MAX_WORD_LENGTH + 1])
{
    assert(strlen(info->name) <= MAX_WORD_LENGTH);
    strcpy(name, info->name);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '_')
            *c = '-';
}

static Option library_option(int index)
{
    const CofOptionInfo *info = cof_option_info(index);
    Option option = {.info = info,
                     .index = index,
                     .has_value = true,
                     .section = section_of(info),
                     .words = info->choices};
    option_name(info, option.name);
    return option;
}

static Option own_option(const OwnRow *row)
{
    const char *const *words = row->id == OPT_KIND ? pixels_kind_words() : row->words;
    Option option = {.own = row,
                     .letter = row->id == OPT_OUTPUT      ? 'o'
                               : row->id == OPT_HELP      ? 'h'
                               : row->id == OPT_RECURSIVE ? 'r'
                               : row->id == OPT_VERSION   ? 'V'
                                                          : 0,
                     .has_value = row->value || words,
                     .section = row->section,
                     .words = words};
    strcpy(option.name, row->name);
    return option;
}

int options_of(Subcommand subcommand, Option options[MAX_OPTIONS])
{
    const SubcommandRow *row = subcommand_row(subcommand);
    int n = 0;
    assert(cof_option_count() <= MAX_LIBRARY_OPTIONS);
    for (int i = 0; i < cof_option_count(); i++)
        if (is_used(cof_option_info(i), row))
            options[n++] = library_option(i);
    for (size_t i = 0; i < LENGTH(own_options); i++)
        if (own_options[i].subcommands & subcommand)
            options[n++] = own_option(&own_options[i]);
    assert(n <= MAX_OPTIONS);
    return n;
}

const char *own_option_name(OwnOption id)
{
    size_t i = 0;
    while (i + 1 < LENGTH(own_options) && own_options[i].id != id)
        i++;
    return own_options[i].name;
}
