/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that the arguments are complete and can be combined. */
#include "options/arguments_check.h"

#include <glib.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "io/formats.h"
#include "options/arguments_files.h"
#include "options/arguments_folders.h"
#include "options/arguments_options.h"
#include "options/arguments_selection.h"
#include "options/background_effect.h"
#include "options/raw_format.h"
#include "ui/error_line.h"

static bool reject(const char *problem)
{
    print_usage_error("%s", problem);
    return false;
}

/* Prints that two options, without their hyphens, exclude each other. */
static bool reject_both(const char *one, const char *other)
{
    print_usage_error("--%s cannot be combined with --%s", one, other);
    return false;
}

static bool is_stream(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

/* The first of some own options that is set; NULL: none. */
static const char *first_set(const Arguments *a, const OwnOption *options, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (option_set(a, options[i]))
            return own_option_name(options[i]);
    return NULL;
}

#define FIRST_SET(a, ...) \
    first_set(a, (const OwnOption[]){__VA_ARGS__}, \
              sizeof((const OwnOption[]){__VA_ARGS__}) / sizeof(OwnOption))

/* Rejects what cannot be updated between passes. */
static bool check_update(const Arguments *a)
{
    CofUpdate update = arguments_options(a, 1, 1).update;
    const char *other =
        update == COF_UPDATE_NONE ? NULL : FIRST_SET(a, OPT_LABELS, OPT_GUIDE, OPT_BANDS);
    if (update == COF_UPDATE_MODEL && !other)
        other = FIRST_SET(a, OPT_MODEL, OPT_MATRIX, OPT_LEARN_FROM, OPT_SAVE_MODEL, OPT_EXACT_SOFT);
    if (update == COF_UPDATE_MODEL && !other && !a->learn_each_page)
        other = FIRST_SET(a, OPT_LEARN_PAGES);
    if (other) {
        const char *word = arguments_value(a, "update");
        print_usage_error("--%s %s cannot be combined with --%s", word ? "update" : "preset",
                          word ? word : arguments_value(a, "preset"), other);
        return false;
    }
    if (update == COF_UPDATE_MODEL && (a->subcommand == CMD_APPLY || a->subcommand == CMD_VIDEO))
        return reject("--update model learns from the input before each pass, which only filter "
                      "and show can do");
    return true;
}

/* Whether filter writes several outputs to a folder. */
static bool has_several_inputs(const Arguments *a)
{
    return a->subcommand == CMD_FILTER && (arguments_n_inputs(a) > 1 || arguments_have_folder(a));
}

/* Options that need GDAL, or that say twice which values decide what is averaged. */
static bool check_raster(const Arguments *a)
{
    const char *other = FIRST_SET(a, OPT_BANDS, OPT_FILTER_BANDS, OPT_CO, OPT_OVERVIEWS);
    if (a->reader == READER_VIPS && other)
        return reject_both("reader vips", other);
    other = FIRST_SET(a, OPT_GUIDE, OPT_LABELS);
    return !(option_set(a, OPT_BANDS) && other) || reject_both("bands", other);
}

/* Rejects options that exclude each other. */
static bool check_combinations(const Arguments *a)
{
    const char *other;
    if (arguments_value(a, "size") && !arguments_value(a, "preset"))
        return reject("--size needs --preset");
    if (a->labels && a->guide)
        return reject_both("labels", "guide");
    if (a->model && a->matrix)
        return reject_both("model", "matrix");
    if (option_set(a, OPT_PRINT_MATRIX) && (other = FIRST_SET(a, OPT_JSON, OPT_DEVICES)))
        return reject_both(other, "matrix");
    if (option_set(a, OPT_FORMATS) &&
        (other = FIRST_SET(a, OPT_JSON, OPT_DEVICES, OPT_PRINT_MATRIX)))
        return reject_both("formats", other);
    if (a->save_model && (other = FIRST_SET(a, OPT_MODEL, OPT_MATRIX, OPT_LABELS)))
        return reject_both("save-model", other);
    if (option_set(a, OPT_EXACT_SOFT) && (other = FIRST_SET(a, OPT_LABELS, OPT_MATRIX, OPT_STATS)))
        return reject_both("exact-soft", other);
    other = FIRST_SET(a, OPT_LEARN_FROM, OPT_LABELS, OPT_MATRIX);
    if (option_set(a, OPT_LEARN_PAGES) && !a->learn_each_page && other)
        return reject_both("learn-pages", other);
    if (a->learn_pages.first > 0 && is_stream(a->operands[0]))
        return reject("--learn-pages N needs a file, not -");
    if (a->save_model && a->learn_each_page)
        return reject("--save-model needs one model, and --learn-pages each makes one per page");
    if (a->mask && a->n_learn_from > 1)
        return reject("--mask needs a single image to learn from");
    if (a->posterise && (other = FIRST_SET(a, OPT_RAW, OPT_APPLY_MASK)))
        return reject_both("posterise", other);
    if (option_set(a, OPT_MIN_AREA) && !a->posterise)
        return reject("--min-area needs --posterise");
    other = FIRST_SET(a, OPT_RESIDUAL, OPT_SIDE_BY_SIDE, OPT_REPORT, OPT_SAVE_MODEL);
    if (has_several_inputs(a) && other) {
        print_usage_error("--%s needs a single input", other);
        return false;
    }
    return check_raster(a) && check_update(a);
}

/* Rejects options that do not support downscaling. */
static bool check_downscale(const Arguments *a)
{
    if (!arguments_may_downscale(a))
        return true;
    const char *other = FIRST_SET(a, OPT_LABELS, OPT_EXACT_SOFT);
    if (!other && arguments_options(a, 1, 1).update == COF_UPDATE_MODEL)
        other = "update model";
    if (!other && a->subcommand == CMD_VIDEO)
        other = FIRST_SET(a, OPT_SCRIBBLE, OPT_STROKE, OPT_MASK, OPT_BACKGROUND);
    if (!other)
        return true;
    const char *name = arguments_downscale_option(a);
    print_usage_error("--%s cannot be combined with --%s%s", name, other,
                      strcmp(name, "preset") == 0 ? "; add --downscale 1" : "");
    return false;
}

/* An image or a model on a terminal helps nobody; a report does. */
static bool check_terminal(const Arguments *a)
{
    bool is_binary = is_stream(arguments_last_output(a)) || is_stream(a->residual) ||
                     is_stream(a->side_by_side) || is_stream(a->matte);
    return !is_binary || !isatty(STDOUT_FILENO) ||
           reject("standard output is a terminal; redirect it to a file or a pipe");
}

/* Standard input can be read once, standard output written once. */
static bool check_streams(const Arguments *a)
{
    const char *inputs[] = {a->mask,   a->correct, a->labels,       a->guide,
                            a->matrix, a->model,   a->palette_from, a->apply_mask};
    const char *outputs[] = {a->residual,   a->side_by_side, a->report,
                             a->save_model, a->output,       a->matte};
    int in = 0, out = 0, last = arguments_n_inputs(a);
    for (int i = 0; i < a->n_operands; i++)
        *(i < last ? &in : &out) += is_stream(a->operands[i]);
    for (int i = 0; i < a->n_learn_from; i++)
        in += is_stream(a->learn_from[i]);
    for (int i = 0; i < a->n_scribbles; i++)
        in += is_stream(a->scribbles[i]);
    for (int i = 0; i < a->n_background_scribbles; i++)
        in += is_stream(a->background_scribbles[i]);
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        in += is_stream(inputs[i]);
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        out += is_stream(outputs[i]);
    if (in > 1)
        return reject("- can be an input only once");
    if (out > 1)
        return reject("- can be an output only once");
    if (is_stream(a->save_model) || is_stream(a->palette_from))
        return reject("--save-model and --palette-from need a file, not -");
    if (has_several_inputs(a) && (in > 0 || out > 0))
        return reject("- cannot be one of several inputs");
    return true;
}

/* With --in-place, the operands are inputs, and their files are the outputs. */
static bool check_in_place(const Arguments *a)
{
    const char *other;
    if (!option_set(a, OPT_IN_PLACE))
        return true;
    if ((other = FIRST_SET(a, OPT_OUTPUT, OPT_FORMAT, OPT_SKIP_EXISTING, OPT_RAW)))
        return reject_both("in-place", other);
    if (a->pages.first > 0)
        return reject(
            "--in-place keeps all pages; it cannot be combined with some of them (--pages)");
    for (int i = 0; i < a->n_operands; i++)
        if (is_stream(a->operands[i]))
            return reject("--in-place needs files, not -");
    return true;
}

/* --raw filters a stream of frames, and writes nothing else. */
static bool check_raw(const Arguments *a)
{
    if (!a->raw)
        return true;
    if (!raw_format_check(a->raw))
        return false;
    if (a->n_operands != 2 || strcmp(a->operands[0], "-") != 0 || strcmp(a->operands[1], "-") != 0)
        return reject("--raw needs - as input and output");
    const char *other =
        FIRST_SET(a, OPT_RESIDUAL, OPT_SIDE_BY_SIDE, OPT_REPORT, OPT_SAVE_MODEL, OPT_FORMAT,
                  OPT_QUALITY, OPT_PAGES, OPT_LEARN_PAGES, OPT_NODATA, OPT_APPLY_MASK, OPT_READER,
                  OPT_BANDS, OPT_FILTER_BANDS, OPT_CO, OPT_OVERVIEWS);
    return !other || reject_both("raw", other);
}

static bool reject_with_model(const char *name)
{
    print_usage_error("--%s has no effect with --model, which is already learned", name);
    return false;
}

/* With a model, learning options would have no effect. */
static bool check_model(const Arguments *a)
{
    if (!a->model)
        return true;
    for (int i = 0; i < cof_option_count(); i++) {
        const CofOptionInfo *info = cof_option_info(i);
        char name[MAX_WORD_LENGTH + 1];
        option_name(info, name);
        if (a->library[i] &&
            (info->group == COF_OPTION_GROUP_LEARN || info->group == COF_OPTION_GROUP_MODEL))
            return reject_with_model(name);
    }
    const char *other =
        FIRST_SET(a, OPT_MASK, OPT_REGION, OPT_LEARN_FROM, OPT_LABELS, OPT_PALETTE_FROM, OPT_RANGE,
                  OPT_EXACT_SOFT, OPT_SCRIBBLE, OPT_STROKE, OPT_LEARN_FRAME, OPT_LEARN_PAGES);
    return !other || reject_with_model(other);
}

static bool check_video(const Arguments *a)
{
    const char *other;
    if (a->subcommand != CMD_VIDEO)
        return true;
    if (is_stream(a->operands[0]) || is_stream(a->operands[1]))
        return reject("video needs files, not -; for pipes, use --raw of filter");
    if (option_set(a, OPT_ADAPT) &&
        (other = FIRST_SET(a, OPT_MODEL, OPT_LEARN_FRAME, OPT_SCRIBBLE, OPT_STROKE, OPT_MASK,
                           OPT_SAVE_MODEL, OPT_BACKGROUND)))
        return reject_both("adapt", other);
    if (option_set(a, OPT_ADAPT) && a->adapt <= 0)
        return reject("--adapt must be above 0");
    if (a->encode && !g_shell_parse_argv(a->encode, NULL, NULL, NULL))
        return reject("--encode must be words, quoted as in a shell");
    if (arguments_mark_background(a) && !arguments_mark_object(a))
        return reject("--scribble or --stroke is needed");
    BackgroundKind kind = background_effect_parse(a->background).kind;
    if (kind == BACKGROUND_IMAGE || kind == BACKGROUND_TRANSPARENT)
        return reject("--background of a video must be smooth, grey or tint=COLOUR");
    return true;
}

/* Values were checked one by one; this checks them together. */
static bool check_values(const Arguments *a)
{
    CofProblem problem;
    char name[MAX_WORD_LENGTH + 1] = "";
    if (cof_options_check(&a->options, &problem) == COF_OK)
        return true;
    const CofOptionInfo *info = problem.option ? cof_option_find(problem.option) : NULL;
    if (option_set(a, OPT_RANGE) && info &&
        (info->offset == offsetof(CofOptions, low) || info->offset == offsetof(CofOptions, high)))
        strcpy(name, "--range: ");
    print_usage_error("%s%s", name, problem.text);
    return false;
}

/* Whether a name, without the options of libvips in brackets, has the suffix of an image. */
static bool has_image_suffix(const char *name)
{
    char *path = g_strndup(name, strcspn(name, "["));
    bool found = format_is_image_name(path);
    g_free(path);
    return found;
}

/* What --output names must be a folder for several inputs, and not an image for a model. */
static bool check_output_name(const Arguments *a)
{
    if (!a->output || !has_image_suffix(a->output))
        return true;
    if (has_several_inputs(a) && !g_file_test(a->output, G_FILE_TEST_IS_DIR)) {
        print_usage_error("-o %s must be a folder, because there are several inputs", a->output);
        return false;
    }
    if (a->subcommand == CMD_LEARN || a->subcommand == CMD_MERGE) {
        print_usage_error("-o %s: a model needs the suffix .cof", a->output);
        return false;
    }
    return true;
}

/* Checks the number of operands. */
static bool check_operands(const Arguments *a)
{
    int n = a->n_operands;
    switch (a->subcommand) {
    case CMD_FILTER:
        if ((a->output || option_set(a, OPT_IN_PLACE)) && n < 1)
            return reject("an input file is needed; see cof --help");
        if (option_set(a, OPT_IN_PLACE))
            return true;
        if (!a->output && n < 2)
            return reject("an input and an output file are needed; see cof --help");
        if (!a->output && n > 2)
            return reject("more than two files; several inputs need -o FOLDER; see cof --help");
        return true;
    case CMD_APPLY:
        return n == 3 ||
               reject("apply needs a model, an input and an output; see cof apply --help");
    case CMD_SELECT:
        if (!a->output)
            return reject("select needs -o MASK; see cof select --help");
        return n == 1 || reject("select needs one image; see cof select --help");
    case CMD_FOCUS:
    case CMD_RECOLOUR:
    case CMD_VIDEO:
        return n == 2 || reject("an input and an output file are needed; see cof --help");
    case CMD_INFO:
        return n == !(option_set(a, OPT_DEVICES) || option_set(a, OPT_FORMATS)) ||
               reject("info needs one file, or --devices or --formats alone; see cof info --help");
    case CMD_SHOW:
        if (!a->output)
            return reject("show needs -o IMAGE; see cof show --help");
        return n == 1 || reject("show needs one file; see cof show --help");
    case CMD_LEARN:
        if (!a->output)
            return reject("learn needs -o MODEL; see cof learn --help");
        return n > 0 || reject("learn needs an image; see cof learn --help");
    case CMD_MERGE:
        if (!a->output && !option_set(a, OPT_IN_PLACE))
            return reject("merge needs -o STATISTICS; see cof merge --help");
        return n > 0 || reject("merge needs statistics; see cof merge --help");
    }
    return false;
}

bool arguments_check(const Arguments *a)
{
    return check_operands(a) && check_output_name(a) && check_combinations(a) &&
           check_downscale(a) && check_streams(a) && check_in_place(a) && check_terminal(a) &&
           check_raw(a) && check_model(a) && arguments_check_selection(a) && check_video(a) &&
           check_values(a);
}
