/* SPDX-License-Identifier: BSD-2-Clause */
/* Which arguments go together. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "commands/raw_frames.h"
#include "options/arguments.h"
#include "options/background_effect.h"

static bool refuse(const char *problem)
{
    fprintf(stderr, "cof: %s\n", problem);
    return false;
}

/* Options that do not go together. */
static bool check_company(const Arguments *a)
{
    bool rolling = is_given(a, OPT_ROLLING), relabel = is_given(a, OPT_RELABEL);
    bool learned = a->model || a->verb == VERB_APPLY;
    if (rolling && a->labels)
        return refuse("--rolling does not go with --labels");
    if (rolling && a->guide)
        return refuse("--rolling does not go with --guide");
    if (rolling && relabel)
        return refuse("--rolling does not go with --relabel");
    if (relabel && (a->labels || a->guide))
        return refuse("--relabel does not go with --labels or --guide");
    if (a->labels && a->guide)
        return refuse("--labels does not go with --guide");
    if (rolling && (a->model || a->matrix || a->n_from > 0 || a->save_model))
        return refuse("--rolling learns from the input, pass after pass: it goes with no other "
                      "picture, model or matrix");
    if (a->model && a->matrix)
        return refuse("--model does not go with --matrix");
    if (a->save_model && (learned || a->matrix || a->labels))
        return refuse("--save-model has nothing to save where nothing is learned from a picture");
    if (is_given(a, OPT_EXACT_SOFT) &&
        (rolling || a->labels || a->matrix || is_given(a, OPT_STATS)))
        return refuse("--exact-soft goes straight from pictures to a model: not with --rolling, "
                      "--labels, --matrix or --stats");
    if (is_given(a, OPT_LOOK) && is_given(a, OPT_PRESET))
        return refuse("--look does not go with --preset, which sets some of the same options");
    if (a->mask && a->n_from > 1)
        return refuse("--mask needs a single picture to learn from");
    if (a->output && a->n_names > 1 && (a->detail || a->compare || a->save_model || a->report))
        return refuse("--detail, --compare, --report and --save-model go with a single input");
    return true;
}

/* What cannot be reduced. */
static bool check_coarse(const Arguments *a)
{
    static const OptionId others[] = {OPT_LABELS, OPT_ROLLING, OPT_EXACT_SOFT};
    const char *name = is_given(a, OPT_LOOK) ? "look" : "coarse";
    bool chosen = a->n_scribbles > 0 || a->n_strokes > 0 || a->mask || a->background;
    if ((a->guide || a->labels) && arguments_options(a, 1, 1).repeat == COF_REPEAT_RELABEL)
        return refuse("this --look labels anew before each pass: it does not go with --guide or "
                      "--labels");
    if (!arguments_may_reduce(a))
        return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (is_given(a, others[i])) {
            fprintf(stderr, "cof: --%s does not go with --%s\n", name, option_of(others[i])->name);
            return false;
        }
    if (a->verb == VERB_VIDEO && chosen) {
        fprintf(stderr, "cof: --%s is for whole frames: not with what is chosen, or a background\n",
                name);
        return false;
    }
    return true;
}

static bool is_dash(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

/* The last of the names is that of the output. */
static bool writes_last_name(const Arguments *a)
{
    return (a->verb == VERB_FILTER && !a->output) || a->verb == VERB_APPLY ||
           a->verb == VERB_FOCUS || a->verb == VERB_RECOLOUR || a->verb == VERB_VIDEO;
}

/* Standard input can be read once, standard output written once. */
static bool check_streams(const Arguments *a)
{
    const char *inputs[] = {a->mask, a->labels, a->guide, a->matrix, a->model, a->palette_from};
    const char *outputs[] = {a->detail, a->compare, a->report, a->save_model, a->output, a->matte};
    int in = 0, out = 0, last = a->n_names - writes_last_name(a);
    for (int i = 0; i < a->n_names; i++)
        *(i < last ? &in : &out) += is_dash(a->names[i]);
    for (int i = 0; i < a->n_from; i++)
        in += is_dash(a->from[i]);
    for (int i = 0; i < a->n_scribbles; i++)
        in += is_dash(a->scribbles[i]);
    for (int i = 0; i < a->n_background_scribbles; i++)
        in += is_dash(a->background_scribbles[i]);
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        in += is_dash(inputs[i]);
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        out += is_dash(outputs[i]);
    if (in > 1)
        return refuse("- is named more than once as an input");
    if (out > 1)
        return refuse("- is named more than once as an output");
    if (is_dash(a->save_model) || is_dash(a->palette_from))
        return refuse("--save-model and --palette-from want a file, not -");
    if (a->verb == VERB_FILTER && a->output && a->n_names > 1 && (in > 0 || out > 0))
        return refuse("several inputs do not go with -");
    return true;
}

/* No file is written twice, and none that is read by the way. */
static bool check_outputs(const Arguments *a)
{
    bool direct = writes_last_name(a);
    const char *main_output = direct && a->n_names > 1 ? a->names[a->n_names - 1] : a->output;
    const char *files[] = {main_output, a->detail, a->compare, a->report, a->save_model, a->matte};
    enum { FILES = sizeof files / sizeof files[0] };
    for (int i = 0; i < FILES; i++)
        for (int j = i + 1; j < FILES; j++)
            if (files[i] && files[j] && strcmp(files[i], files[j]) == 0) {
                fprintf(stderr, "cof: %s is named for two outputs\n", files[i]);
                return false;
            }
    for (int i = 1; i < FILES; i++)
        for (int j = 0; j < a->n_names; j++)
            if (files[i] && !is_dash(files[i]) && strcmp(files[i], a->names[j]) == 0) {
                fprintf(stderr, "cof: %s is an input as well as an output\n", files[i]);
                return false;
            }
    return true;
}

/* Frames come and go through pipes, and are pictures of their own. */
static bool check_raw(const Arguments *a)
{
    if (!a->raw)
        return true;
    if (!raw_frames_check(a->raw))
        return false;
    if (a->n_names != 2 || strcmp(a->names[0], "-") != 0 || strcmp(a->names[1], "-") != 0)
        return refuse("--raw filters from - to -");
    if (a->detail || a->compare || a->report || a->save_model || a->format)
        return refuse("--raw goes with no file to be written");
    return true;
}

/* With a model, options of learning have no effect. */
static bool check_model(const Arguments *a)
{
    static const OptionId learning[] = {OPT_WINDOW,    OPT_SIGMA,    OPT_COLOURS,      OPT_LEVELS,
                                        OPT_SOFTNESS,  OPT_MASK,     OPT_REGION,       OPT_FROM,
                                        OPT_NORMALISE, OPT_LABELS,   OPT_PALETTE_FROM, OPT_RANGE,
                                        OPT_SEED,      OPT_SAMPLING, OPT_EXACT_SOFT};
    for (size_t i = 0; a->model && i < sizeof learning / sizeof learning[0]; i++)
        if (is_given(a, learning[i])) {
            fprintf(stderr, "cof: --%s has no effect with --model, which is learned already\n",
                    option_of(learning[i])->name);
            return false;
        }
    return true;
}

/* Of what was chosen. */
static bool check_choice(const Arguments *a)
{
    if (!(a->grow >= 0 && a->grow <= 1000) || !(a->gap >= 0 && a->gap <= 1000))
        return refuse("--grow and --gap must be 0 to 1000");
    if (is_given(a, OPT_SPREAD_WINDOW) && (a->spread_window % 2 == 0 || a->spread_window > 255))
        return refuse("--spread-window must be odd, 1 to 255");
    if (is_given(a, OPT_SPREAD_PASSES) && a->spread_passes > COF_MAX_ITERATIONS)
        return refuse("--spread-passes must be 1 to 1000");
    if (a->threshold > 1)
        return refuse("--threshold must be above 0, 1 at most");
    if (!(a->verb == VERB_SELECT || a->verb == VERB_FOCUS || a->verb == VERB_RECOLOUR))
        return true;
    bool scribbled = a->n_scribbles > 0 || a->n_strokes > 0;
    bool background = a->n_background_scribbles > 0 || a->n_background_strokes > 0;
    double colour[3];
    if (a->n_scribbles > 1 || a->n_background_scribbles > 1)
        return refuse("a picture has one --scribble and one --background-scribble");
    if (a->mask && (scribbled || background))
        return refuse("--mask does not go with scribbles");
    if (!a->mask && !scribbled)
        return refuse(a->verb == VERB_SELECT ? "--scribble or --stroke is needed"
                                             : "--scribble, --stroke or --mask is needed");
    if (a->verb == VERB_RECOLOUR && !a->to)
        return refuse("recolour wants --to #RRGGBB");
    if (a->to && !effect_colour(a->to, colour))
        return refuse("--to wants a colour such as #3070c0");
    return !a->background || effect_check(a->background);
}

static bool check_video(const Arguments *a)
{
    bool scribbled = a->n_scribbles > 0 || a->n_strokes > 0, chosen = scribbled || a->mask;
    bool background = a->n_background_scribbles > 0 || a->n_background_strokes > 0;
    if (a->verb != VERB_VIDEO)
        return true;
    if (is_dash(a->names[0]) || is_dash(a->names[1]))
        return refuse("video wants files, not -; for pipes there is --raw");
    if (strcmp(a->names[0], a->names[1]) == 0)
        return refuse("input and output are the same file");
    if (a->adapt > 1)
        return refuse("--adapt must be above 0, 1 at most");
    if (a->adapt > 0 &&
        (a->model || a->learn_frame > 0 || chosen || a->save_model || a->background))
        return refuse("--adapt learns from all frames: not with --model, --learn-frame, "
                      "--save-model, --background or what is chosen");
    if (a->encode && !g_shell_parse_argv(a->encode, NULL, NULL, NULL))
        return refuse("--encode wants words as a shell takes them");
    if (a->model && (chosen || a->learn_frame > 0 || a->save_model))
        return refuse("--model is learned already: not with --learn-frame, --save-model or what is "
                      "chosen");
    if (a->mask && (scribbled || background))
        return refuse("--mask does not go with scribbles");
    if (background && !chosen)
        return refuse("--scribble or --stroke is needed");
    if (a->background && !effect_check(a->background))
        return false;
    if (a->background && effect_read(a->background).kind == EFFECT_IMAGE)
        return refuse("--background image= is not for films");
    return true;
}

static bool check_values(const Arguments *a)
{
    const char *problem;
    if (cof_options_check(&a->options, &problem) == COF_OK)
        return true;
    /* The library's sentences begin with the name of the option. */
    fputs("cof: --", stderr);
    for (; *problem != '\0' && *problem != ' '; problem++)
        fputc(*problem == '_' ? '-' : *problem, stderr);
    fprintf(stderr, "%s\n", problem);
    return false;
}

/* How many names a subcommand wants. */
static bool check_names(const Arguments *a)
{
    int n = a->n_names;
    switch (a->verb) {
    case VERB_FILTER:
        if (a->output && n < 1)
            return refuse("an input file is needed; see cof --help");
        if (!a->output && n < 2)
            return refuse("an input and an output file are needed; see cof --help");
        if (!a->output && n > 2)
            return refuse(
                "more than two files were named: with -o FOLDER, all are inputs; see cof --help");
        return true;
    case VERB_APPLY:
        return n == 3 ||
               refuse("apply wants a model, an input and an output; see cof apply --help");
    case VERB_SELECT:
        if (!a->output)
            return refuse("select wants -o MASK; see cof select --help");
        return n == 1 || refuse("select wants one picture; see cof select --help");
    case VERB_FOCUS:
    case VERB_RECOLOUR:
    case VERB_VIDEO:
        return n == 2 || refuse("an input and an output file are needed; see cof --help");
    case VERB_INFO:
        return n == 1 || refuse("info wants one file; see cof info --help");
    case VERB_SHOW:
        if (!a->output)
            return refuse("show wants -o PICTURE; see cof show --help");
        return n == 1 || refuse("show wants one file; see cof show --help");
    case VERB_LEARN:
        if (!a->output)
            return refuse("learn wants -o MODEL; see cof learn --help");
        return n > 0 || refuse("learn wants a picture; see cof learn --help");
    case VERB_MERGE:
        if (!a->output)
            return refuse("merge wants -o STATISTICS; see cof merge --help");
        return n > 0 || refuse("merge wants statistics; see cof merge --help");
    }
    return false;
}

bool arguments_check(const Arguments *a)
{
    return check_names(a) && check_company(a) && check_coarse(a) && check_streams(a) &&
           check_outputs(a) && check_raw(a) && check_model(a) && check_choice(a) &&
           check_video(a) && check_values(a);
}
