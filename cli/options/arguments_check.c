/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that the arguments are complete and can be combined. */
#include "options/arguments_check.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "options/arguments_preset.h"
#include "options/background_effect.h"
#include "options/raw_format.h"

static bool reject(const char *problem)
{
    fprintf(stderr, "cof: %s\n", problem);
    return false;
}

/* Rejects options that exclude each other. */
static bool check_combinations(const Arguments *a)
{
    bool rolling = option_set(a, OPT_ROLLING), relabel = option_set(a, OPT_RELABEL);
    bool learned = a->model || a->subcommand == CMD_APPLY;
    if (rolling && a->labels)
        return reject("--rolling does not go with --labels");
    if (rolling && a->guide)
        return reject("--rolling does not go with --guide");
    if (rolling && relabel)
        return reject("--rolling does not go with --relabel");
    if (relabel && (a->labels || a->guide))
        return reject("--relabel does not go with --labels or --guide");
    if (a->labels && a->guide)
        return reject("--labels does not go with --guide");
    if (rolling && (a->model || a->matrix || a->n_from > 0 || a->save_model))
        return reject("--rolling learns from the input, pass after pass: it goes with no other "
                      "picture, model or matrix");
    if (a->model && a->matrix)
        return reject("--model does not go with --matrix");
    if (a->save_model && (learned || a->matrix || a->labels))
        return reject("--save-model has nothing to save where nothing is learned from a picture");
    if (option_set(a, OPT_EXACT_SOFT) &&
        (rolling || a->labels || a->matrix || option_set(a, OPT_STATS)))
        return reject("--exact-soft goes straight from pictures to a model: not with --rolling, "
                      "--labels, --matrix or --stats");
    if (option_set(a, OPT_LOOK) && option_set(a, OPT_PRESET))
        return reject("--look does not go with --preset, which sets some of the same options");
    if (a->mask && a->n_from > 1)
        return reject("--mask needs a single picture to learn from");
    if (a->output && a->n_operands > 1 && (a->detail || a->compare || a->save_model || a->report))
        return reject("--detail, --compare, --report and --save-model go with a single input");
    return true;
}

/* Rejects options that do not support downscaling. */
static bool check_downscale(const Arguments *a)
{
    static const OptionId others[] = {OPT_LABELS, OPT_ROLLING, OPT_EXACT_SOFT};
    const char *name = option_set(a, OPT_LOOK) ? "look" : "coarse";
    bool selected = a->n_scribbles > 0 || a->n_strokes > 0 || a->mask || a->background;
    if ((a->guide || a->labels) && arguments_options(a, 1, 1).update == COF_UPDATE_LABELS)
        return reject("this --look labels anew before each pass: it does not go with --guide or "
                      "--labels");
    if (!arguments_may_downscale(a))
        return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (option_set(a, others[i])) {
            fprintf(stderr, "cof: --%s does not go with --%s\n", name, option_row(others[i])->name);
            return false;
        }
    if (a->subcommand == CMD_VIDEO && selected) {
        fprintf(stderr, "cof: --%s is for whole frames: not with what is chosen, or a background\n",
                name);
        return false;
    }
    return true;
}

static bool is_stream(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

/* Whether the last operand is the output. */
static bool writes_last_name(const Arguments *a)
{
    return (a->subcommand == CMD_FILTER && !a->output) || a->subcommand == CMD_APPLY ||
           a->subcommand == CMD_FOCUS || a->subcommand == CMD_RECOLOUR ||
           a->subcommand == CMD_VIDEO;
}

/* Standard input can be read once, standard output written once. */
static bool check_streams(const Arguments *a)
{
    const char *inputs[] = {a->mask, a->labels, a->guide, a->matrix, a->model, a->palette_from};
    const char *outputs[] = {a->detail, a->compare, a->report, a->save_model, a->output, a->matte};
    int in = 0, out = 0, last = a->n_operands - writes_last_name(a);
    for (int i = 0; i < a->n_operands; i++)
        *(i < last ? &in : &out) += is_stream(a->operands[i]);
    for (int i = 0; i < a->n_from; i++)
        in += is_stream(a->from[i]);
    for (int i = 0; i < a->n_scribbles; i++)
        in += is_stream(a->scribbles[i]);
    for (int i = 0; i < a->n_background_scribbles; i++)
        in += is_stream(a->background_scribbles[i]);
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        in += is_stream(inputs[i]);
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        out += is_stream(outputs[i]);
    if (in > 1)
        return reject("- is named more than once as an input");
    if (out > 1)
        return reject("- is named more than once as an output");
    if (is_stream(a->save_model) || is_stream(a->palette_from))
        return reject("--save-model and --palette-from want a file, not -");
    if (a->subcommand == CMD_FILTER && a->output && a->n_operands > 1 && (in > 0 || out > 0))
        return reject("several inputs do not go with -");
    return true;
}

/* No file is written twice, and no extra output replaces an input. */
static bool check_outputs(const Arguments *a)
{
    bool direct = writes_last_name(a);
    const char *main_output =
        direct && a->n_operands > 1 ? a->operands[a->n_operands - 1] : a->output;
    const char *files[] = {main_output, a->detail, a->compare, a->report, a->save_model, a->matte};
    enum { FILES = sizeof files / sizeof files[0] };
    for (int i = 0; i < FILES; i++)
        for (int j = i + 1; j < FILES; j++)
            if (files[i] && files[j] && strcmp(files[i], files[j]) == 0) {
                fprintf(stderr, "cof: %s is named for two outputs\n", files[i]);
                return false;
            }
    for (int i = 1; i < FILES; i++)
        for (int j = 0; j < a->n_operands; j++)
            if (files[i] && !is_stream(files[i]) && strcmp(files[i], a->operands[j]) == 0) {
                fprintf(stderr, "cof: %s is an input as well as an output\n", files[i]);
                return false;
            }
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
        return reject("--raw filters from - to -");
    if (a->detail || a->compare || a->report || a->save_model || a->format)
        return reject("--raw goes with no file to be written");
    return true;
}

/* With a model, learning options would have no effect. */
static bool check_model(const Arguments *a)
{
    static const OptionId learning[] = {OPT_WINDOW,    OPT_SIGMA,    OPT_COLOURS,      OPT_LEVELS,
                                        OPT_SOFTNESS,  OPT_MASK,     OPT_REGION,       OPT_FROM,
                                        OPT_NORMALISE, OPT_LABELS,   OPT_PALETTE_FROM, OPT_RANGE,
                                        OPT_SEED,      OPT_SAMPLING, OPT_EXACT_SOFT};
    for (size_t i = 0; a->model && i < sizeof learning / sizeof learning[0]; i++)
        if (option_set(a, learning[i])) {
            fprintf(stderr, "cof: --%s has no effect with --model, which is learned already\n",
                    option_row(learning[i])->name);
            return false;
        }
    return true;
}

/* Options that select a part of the image, and what is done with it. */
static bool check_selection(const Arguments *a)
{
    if (!(a->grow >= 0 && a->grow <= 1000) || !(a->gap >= 0 && a->gap <= 1000))
        return reject("--grow and --gap must be 0 to 1000");
    if (option_set(a, OPT_SPREAD_WINDOW) && (a->spread_window % 2 == 0 || a->spread_window > 255))
        return reject("--spread-window must be odd, 1 to 255");
    if (option_set(a, OPT_SPREAD_PASSES) && a->spread_passes > COF_MAX_ITERATIONS)
        return reject("--spread-passes must be 1 to 1000");
    if (a->threshold > 1)
        return reject("--threshold must be above 0, 1 at most");
    if (!(a->subcommand == CMD_SELECT || a->subcommand == CMD_FOCUS ||
          a->subcommand == CMD_RECOLOUR))
        return true;
    bool scribbled = a->n_scribbles > 0 || a->n_strokes > 0;
    bool background = a->n_background_scribbles > 0 || a->n_background_strokes > 0;
    double colour[3];
    if (a->n_scribbles > 1 || a->n_background_scribbles > 1)
        return reject("a picture has one --scribble and one --background-scribble");
    if (a->mask && (scribbled || background))
        return reject("--mask does not go with scribbles");
    if (!a->mask && !scribbled)
        return reject(a->subcommand == CMD_SELECT ? "--scribble or --stroke is needed"
                                                  : "--scribble, --stroke or --mask is needed");
    if (a->subcommand == CMD_RECOLOUR && !a->to)
        return reject("recolour wants --to #RRGGBB");
    if (a->to && !parse_hex_colour(a->to, colour))
        return reject("--to wants a colour such as #3070c0");
    return !a->background || background_effect_check(a->background);
}

static bool check_video(const Arguments *a)
{
    bool scribbled = a->n_scribbles > 0 || a->n_strokes > 0, selected = scribbled || a->mask;
    bool background = a->n_background_scribbles > 0 || a->n_background_strokes > 0;
    if (a->subcommand != CMD_VIDEO)
        return true;
    if (is_stream(a->operands[0]) || is_stream(a->operands[1]))
        return reject("video wants files, not -; for pipes there is --raw");
    if (strcmp(a->operands[0], a->operands[1]) == 0)
        return reject("input and output are the same file");
    if (a->adapt > 1)
        return reject("--adapt must be above 0, 1 at most");
    if (a->adapt > 0 &&
        (a->model || a->learn_frame > 0 || selected || a->save_model || a->background))
        return reject("--adapt learns from all frames: not with --model, --learn-frame, "
                      "--save-model, --background or what is chosen");
    if (a->encode && !g_shell_parse_argv(a->encode, NULL, NULL, NULL))
        return reject("--encode wants words as a shell takes them");
    if (a->model && (selected || a->learn_frame > 0 || a->save_model))
        return reject("--model is learned already: not with --learn-frame, --save-model or what is "
                      "chosen");
    if (a->mask && (scribbled || background))
        return reject("--mask does not go with scribbles");
    if (background && !selected)
        return reject("--scribble or --stroke is needed");
    if (a->background && !background_effect_check(a->background))
        return false;
    if (a->background && background_effect_parse(a->background).kind == BACKGROUND_IMAGE)
        return reject("--background image= is not for films");
    return true;
}

static bool check_values(const Arguments *a)
{
    const char *problem;
    if (cof_options_check(&a->options, &problem) == COF_OK)
        return true;
    /* The text of the library begins with the name of the option. */
    fputs("cof: --", stderr);
    for (; *problem != '\0' && *problem != ' '; problem++)
        fputc(*problem == '_' ? '-' : *problem, stderr);
    fprintf(stderr, "%s\n", problem);
    return false;
}

/* Checks the number of operands. */
static bool check_operands(const Arguments *a)
{
    int n = a->n_operands;
    switch (a->subcommand) {
    case CMD_FILTER:
        if (a->output && n < 1)
            return reject("an input file is needed; see cof --help");
        if (!a->output && n < 2)
            return reject("an input and an output file are needed; see cof --help");
        if (!a->output && n > 2)
            return reject(
                "more than two files were named: with -o FOLDER, all are inputs; see cof --help");
        return true;
    case CMD_APPLY:
        return n == 3 ||
               reject("apply wants a model, an input and an output; see cof apply --help");
    case CMD_SELECT:
        if (!a->output)
            return reject("select wants -o MASK; see cof select --help");
        return n == 1 || reject("select wants one picture; see cof select --help");
    case CMD_FOCUS:
    case CMD_RECOLOUR:
    case CMD_VIDEO:
        return n == 2 || reject("an input and an output file are needed; see cof --help");
    case CMD_INFO:
        return n == 1 || reject("info wants one file; see cof info --help");
    case CMD_SHOW:
        if (!a->output)
            return reject("show wants -o PICTURE; see cof show --help");
        return n == 1 || reject("show wants one file; see cof show --help");
    case CMD_LEARN:
        if (!a->output)
            return reject("learn wants -o MODEL; see cof learn --help");
        return n > 0 || reject("learn wants a picture; see cof learn --help");
    case CMD_MERGE:
        if (!a->output)
            return reject("merge wants -o STATISTICS; see cof merge --help");
        return n > 0 || reject("merge wants statistics; see cof merge --help");
    }
    return false;
}

bool arguments_check(const Arguments *a)
{
    return check_operands(a) && check_combinations(a) && check_downscale(a) && check_streams(a) &&
           check_outputs(a) && check_raw(a) && check_model(a) && check_selection(a) &&
           check_video(a) && check_values(a);
}
