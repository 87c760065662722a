/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the command line. */
#include "options/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/parse_value.h"
#include "options/strokes.h"
#include "options/suggest.h"

#define MAX_OPTIONS 64

/* Pixels this near to the selection are not learned as background. */
#define DEFAULT_GAP 3

static bool parse_choice(CofOptions *o, OptionId option, const char *text)
{
    static const char *const borders[] = {"clip", "mirror", "reflect101", NULL};
    static const char *const methods[] = {"exact", "fast", "auto", NULL};
    static const char *const norms[] = {"counts", "marginals", NULL};
    static const char *const samplings[] = {"auto", "all", NULL};
    static const char *const spaces[] = {"lab", "rgb", NULL};
    const char *const *words = option == OPT_BORDER      ? borders
                               : option == OPT_METHOD    ? methods
                               : option == OPT_NORMALISE ? norms
                               : option == OPT_SAMPLING  ? samplings
                                                         : spaces;
    int index = 0;
    if (!parse_word(option, text, words, &index))
        return false;
    if (option == OPT_BORDER)
        o->border = (CofBorder)index;
    else if (option == OPT_METHOD)
        o->method = (CofMethod)index;
    else if (option == OPT_NORMALISE)
        o->normalise = (CofNormalise)index;
    else if (option == OPT_SAMPLING)
        o->sampling = (CofSampling)index;
    else
        o->space = (CofSpace)index;
    return true;
}

static bool parse_number(CofOptions *o, OptionId option, const char *text)
{
    switch (option) {
    case OPT_WINDOW:
        return parse_int(option, text, &o->window);
    case OPT_COLOURS:
        return parse_int(option, text, &o->colours);
    case OPT_COARSE:
        return parse_int(option, text, &o->downscale);
    case OPT_LEVELS:
        return parse_int(option, text, &o->levels);
    case OPT_FILTER_WINDOW:
        return parse_positive_int(option, text, &o->filter_window);
    case OPT_ITERATIONS:
        return parse_int(option, text, &o->iterations);
    case OPT_THREADS:
        return parse_int(option, text, &o->threads);
    case OPT_SIGMA:
        return parse_positive(option, text, &o->sigma);
    case OPT_FILTER_SIGMA:
        return parse_positive(option, text, &o->filter_sigma);
    case OPT_SOFTNESS:
        return parse_double(option, text, &o->softness);
    case OPT_ACCURACY:
        return parse_double(option, text, &o->accuracy);
    case OPT_RANGE:
        return parse_range(text, o);
    case OPT_SEED:
        return parse_seed(text, &o->seed);
    case OPT_UNTIL:
        return parse_positive(option, text, &o->tolerance);
    default:
        return parse_choice(o, option, text);
    }
}

static bool parse_look(const char *text, CofPreset *look)
{
    static const char *const looks[] = {"subtle", "texture", "cartoon", NULL};
    int index = 0;
    bool ok = parse_word(OPT_LOOK, text, looks, &index);
    *look = (CofPreset)index;
    return ok;
}

/* Numbers for the selection by scribbles, and for learning from videos. */
static bool parse_selection_value(Arguments *a, OptionId option, const char *text)
{
    if (option == OPT_THRESHOLD)
        return parse_positive(option, text, &a->threshold);
    if (option == OPT_GROW || option == OPT_GAP)
        return parse_double(option, text, option == OPT_GROW ? &a->grow : &a->gap);
    if (option == OPT_ADAPT)
        return parse_positive(option, text, &a->adapt);
    if (option == OPT_LEARN_FRAME)
        return parse_positive_int(option, text, &a->learn_frame);
    int *value = option == OPT_SPREAD_WINDOW ? &a->spread_window : &a->spread_passes;
    return parse_positive_int(option, text, value);
}

static bool parse_stroke(Arguments *a, OptionId option, const char *text)
{
    if (option == OPT_STROKE)
        a->strokes[a->n_strokes++] = text;
    else
        a->background_strokes[a->n_background_strokes++] = text;
    return stroke_check(option_row(option)->name, text);
}

/* The field for the text of an option; NULL if its value is parsed further. */
static const char **text_field(Arguments *a, OptionId option)
{
    switch (option) {
    case OPT_BACKGROUND:
        return &a->background;
    case OPT_BACKGROUND_SCRIBBLE:
        return &a->background_scribbles[a->n_background_scribbles++];
    case OPT_ENCODE:
        return &a->encode;
    case OPT_MATTE:
        return &a->matte;
    case OPT_SCRIBBLE:
        return &a->scribbles[a->n_scribbles++];
    case OPT_TO:
        return &a->to;
    case OPT_COMPARE:
        return &a->compare;
    case OPT_DETAIL:
        return &a->detail;
    case OPT_FORMAT:
        return &a->format;
    case OPT_FROM:
        return &a->from[a->n_from++];
    case OPT_GUIDE:
        return &a->guide;
    case OPT_LABELS:
        return &a->labels;
    case OPT_MASK:
        return &a->mask;
    case OPT_MATRIX:
        return &a->matrix;
    case OPT_MODEL:
        return &a->model;
    case OPT_OUTPUT:
        return &a->output;
    case OPT_PALETTE_FROM:
        return &a->palette_from;
    case OPT_RAW:
        return &a->raw;
    case OPT_REPORT:
        return &a->report;
    case OPT_SAVE_MODEL:
        return &a->save_model;
    default:
        return NULL;
    }
}

static bool parse_option(Arguments *a, OptionId option, const char *text)
{
    a->is_set[option - OPT_ACCURACY] = true;
    if (option == OPT_ROLLING)
        a->options.update = COF_UPDATE_MODEL;
    if (option == OPT_RELABEL)
        a->options.update = COF_UPDATE_LABELS;
    if (option == OPT_PRESET || !text) /* set by parse_preset() */
        return true;
    if (option == OPT_LOOK)
        return parse_look(text, &a->look);
    if (option == OPT_REGION)
        return parse_region(text, &a->region);
    if (option == OPT_STROKE || option == OPT_BACKGROUND_STROKE)
        return parse_stroke(a, option, text);
    if (option == OPT_THRESHOLD || option == OPT_SPREAD_WINDOW || option == OPT_SPREAD_PASSES ||
        option == OPT_ADAPT || option == OPT_LEARN_FRAME || option == OPT_GROW || option == OPT_GAP)
        return parse_selection_value(a, option, text);
    const char **field = text_field(a, option);
    if (field)
        *field = text;
    return field || parse_number(&a->options, option, text);
}

/* The options of a subcommand, for getopt_long(). */
static void fill_getopt_options(Subcommand subcommand, struct option options[MAX_OPTIONS])
{
    int n = 0;
    for (const OptionRow *row = option_table; row->id != OPT_END; row++)
        if (row->name && row->subcommands & subcommand)
            options[n++] = (struct option){row->name, row->value ? required_argument : no_argument,
                                           NULL, (int)row->id};
    options[n] = (struct option){NULL, 0, NULL, 0};
}

static int next_option(int argc, char **argv, const struct option *options)
{
    bool has_output = false;
    for (const struct option *o = options; o->name; o++)
        has_output |= o->val == OPT_OUTPUT;
    int found = getopt_long(argc, argv, has_output ? ":o:" : ":", options, NULL);
    return found == 'o' ? OPT_OUTPUT : found;
}

/* Applies the preset before all other options, so that they override it in any order. Parses a copy
 * of the arguments, because getopt permutes them. */
static bool parse_preset(Arguments *a, int argc, char **argv, const struct option *options)
{
    static const char *const presets[] = {"paper", "authors", "app", NULL};
    int option, index;
    bool ok = true;
    char **copy = malloc(((size_t)argc + 1) * sizeof *copy);
    if (!copy) {
        fputs("cof: not enough memory\n", stderr);
        return false;
    }
    memcpy(copy, argv, ((size_t)argc + 1) * sizeof *copy);
    optind = 1;
    while (ok && (option = next_option(argc, copy, options)) != -1) {
        if (option == OPT_HELP || option == OPT_VERSION)
            break;
        if (option == OPT_PRESET) {
            ok = parse_word(OPT_PRESET, optarg, presets, &index);
            if (ok)
                cof_options_set_variant(&a->options, (CofVariant)index);
        }
    }
    free(copy);
    return ok;
}

static const char *similar_option(const char *text, const struct option *options)
{
    const char *names[MAX_OPTIONS];
    int n = 0;
    for (; options[n].name; n++)
        names[n] = options[n].name;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    return suggest(name, names, n);
}

/* Prints why getopt rejected an option. */
static void print_option_error(int found, char **argv, const struct option *options)
{
    const char *advice = "see cof --help", *text = argv[optind - 1];
    if (found == ':') {
        fprintf(stderr, "cof: %s wants a value; %s\n", text, advice);
        return;
    }
    if (optopt > 0 && optopt < 256) {
        fprintf(stderr, "cof: unknown option -%c; %s\n", optopt, advice);
        return;
    }
    if (optopt >= 256) {
        fprintf(stderr, "cof: --%s takes no value; %s\n", option_row((OptionId)optopt)->name,
                advice);
        return;
    }
    const char *similar = similar_option(text, options);
    if (similar)
        fprintf(stderr, "cof: unknown option %s; did you mean --%s?\n", text, similar);
    else
        fprintf(stderr, "cof: unknown option %s; %s\n", text, advice);
}

static const SubcommandRow *find_subcommand(const char *name)
{
    for (const SubcommandRow *row = subcommand_table; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

/* Whether a word is not a file but similar to the name of a subcommand. Prints an error if so. */
static bool is_misspelt_subcommand(const char *word)
{
    const char *names[16];
    int n = 0;
    for (; subcommand_table[n].name; n++)
        names[n] = subcommand_table[n].name;
    const char *similar = word[0] != '-' && !strpbrk(word, "./") ? suggest(word, names, n) : NULL;
    if (!similar || access(word, F_OK) == 0)
        return false;
    fprintf(stderr, "cof: unknown subcommand %s; did you mean %s?\n", word, similar);
    return true;
}

static ParseResult print_and_exit(OptionId option, const SubcommandRow *subcommand)
{
    uint32_t v = cof_version();
    if (option == OPT_HELP)
        print_help(subcommand);
    else
        printf("cof %u.%u.%u\n", v >> 16, v >> 8 & 255, v & 255);
    return PARSE_EXIT;
}

/* Parses what follows argv[0], which is the name of the subcommand if `subcommand` is not NULL. */
static ParseResult parse_all(Arguments *a, int argc, char **argv, const SubcommandRow *subcommand)
{
    struct option options[MAX_OPTIONS];
    fill_getopt_options(a->subcommand, options);
    opterr = 0;
    if (!parse_preset(a, argc, argv, options))
        return PARSE_ERROR;
    int option;
    optind = 1;
    while ((option = next_option(argc, argv, options)) != -1) {
        if (option == OPT_HELP || option == OPT_VERSION)
            return print_and_exit((OptionId)option, subcommand);
        if (option == '?' || option == ':') {
            print_option_error(option, argv, options);
            return PARSE_ERROR;
        }
        if (!parse_option(a, (OptionId)option, optarg))
            return PARSE_ERROR;
    }
    a->operands = argv + optind;
    a->n_operands = argc - optind;
    return PARSE_RUN;
}

ParseResult arguments_read(Arguments *a, int argc, char **argv)
{
    *a = (Arguments){.subcommand = CMD_FILTER, .gap = DEFAULT_GAP};
    cof_options_init(&a->options);
    const char ***lists[] = {&a->from, &a->strokes, &a->background_strokes, &a->scribbles,
                             &a->background_scribbles};
    bool all = true;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        *lists[i] = calloc((size_t)argc + 1, sizeof **lists[i]);
        all &= *lists[i] != NULL;
    }
    if (!all) {
        fputs("cof: not enough memory\n", stderr);
        return PARSE_ERROR;
    }
    const SubcommandRow *subcommand = argc > 1 ? find_subcommand(argv[1]) : NULL;
    if (subcommand)
        a->subcommand = subcommand->subcommand;
    else if (argc > 1 && is_misspelt_subcommand(argv[1]))
        return PARSE_ERROR;
    return subcommand ? parse_all(a, argc - 1, argv + 1, subcommand)
                      : parse_all(a, argc, argv, NULL);
}

void arguments_free(Arguments *a)
{
    free(a->from);
    free(a->strokes);
    free(a->background_strokes);
    free(a->scribbles);
    free(a->background_scribbles);
}
