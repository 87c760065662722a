/* SPDX-License-Identifier: BSD-2-Clause */
/* What was asked for on the command line. */
#include "options/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/strokes.h"
#include "options/suggest.h"

#define MOST_OPTIONS 64

/* Pixels around what was chosen that may belong to it. */
#define USUAL_GAP 3

bool is_given(const Arguments *a, OptionId option)
{
    return a->given[option - OPT_ACCURACY];
}

static const char *name_of(OptionId option)
{
    return option_of(option)->name;
}

static bool read_int(OptionId option, const char *text, int *value)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < INT_MIN || number > INT_MAX) {
        fprintf(stderr, "cof: --%s wants a whole number, not '%s'\n", name_of(option), text);
        return false;
    }
    *value = (int)number;
    return true;
}

/* 0 means "choose for me" to the library; here that is said by leaving the option out. */
static bool read_positive_int(OptionId option, const char *text, int *value)
{
    if (!read_int(option, text, value))
        return false;
    if (*value > 0)
        return true;
    fprintf(stderr, "cof: --%s must be above 0\n", name_of(option));
    return false;
}

static bool read_double(OptionId option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0')
        return true;
    fprintf(stderr, "cof: --%s wants a number, not '%s'\n", name_of(option), text);
    return false;
}

static bool read_positive(OptionId option, const char *text, double *value)
{
    if (!read_double(option, text, value))
        return false;
    if (*value > 0)
        return true;
    fprintf(stderr, "cof: --%s must be above 0\n", name_of(option));
    return false;
}

/* The index of a word in a list that ends with NULL. */
static bool read_word(OptionId option, const char *text, const char *const *words, int *index)
{
    for (*index = 0; words[*index]; (*index)++)
        if (strcmp(text, words[*index]) == 0)
            return true;
    fprintf(stderr, "cof: --%s wants ", name_of(option));
    for (int i = 0; words[i]; i++)
        fprintf(stderr, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    fprintf(stderr, ", not '%s'\n", text);
    return false;
}

static bool read_region(const char *text, CofRect *region)
{
    long numbers[4];
    const char *at = text;
    bool ok = true;
    for (int i = 0; i < 4 && ok; i++) {
        char *end;
        errno = 0;
        numbers[i] = strtol(at, &end, 10);
        ok = end != at && errno == 0 && *end == (i < 3 ? ',' : '\0') && numbers[i] <= INT_MAX &&
             numbers[i] >= (i < 2 ? 0 : 1);
        at = end + 1;
    }
    if (ok) {
        *region = (CofRect){(int)numbers[0], (int)numbers[1], (int)numbers[2], (int)numbers[3]};
        return true;
    }
    fprintf(stderr, "cof: --region wants X,Y,WIDTH,HEIGHT in pixels, not '%s'\n", text);
    return false;
}

static bool read_range(const char *text, CofOptions *o)
{
    char *end;
    o->low = strtod(text, &end);
    bool ok = end != text && *end == ',';
    const char *second = end + 1;
    if (ok) {
        o->high = strtod(second, &end);
        ok = end != second && *end == '\0' && o->low < o->high;
    }
    if (!ok)
        fprintf(stderr, "cof: --range wants LOW,HIGH, not '%s'\n", text);
    return ok;
}

static bool read_seed(const char *text, uint64_t *seed)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    bool ok = end != text && *end == '\0' && errno == 0 && !strchr(text, '-');
    if (!ok)
        fprintf(stderr, "cof: --seed wants a whole number from 0 on, not '%s'\n", text);
    *seed = number;
    return ok;
}

static bool read_choice(CofOptions *o, OptionId option, const char *text)
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
    if (!read_word(option, text, words, &index))
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

static bool read_number(CofOptions *o, OptionId option, const char *text)
{
    switch (option) {
    case OPT_WINDOW:
        return read_int(option, text, &o->window);
    case OPT_COLOURS:
        return read_int(option, text, &o->colours);
    case OPT_COARSE:
        return read_int(option, text, &o->coarse);
    case OPT_LEVELS:
        return read_int(option, text, &o->levels);
    case OPT_FILTER_WINDOW:
        return read_positive_int(option, text, &o->filter_window);
    case OPT_ITERATIONS:
        return read_int(option, text, &o->iterations);
    case OPT_THREADS:
        return read_int(option, text, &o->threads);
    case OPT_SIGMA:
        return read_positive(option, text, &o->sigma);
    case OPT_FILTER_SIGMA:
        return read_positive(option, text, &o->filter_sigma);
    case OPT_SOFTNESS:
        return read_double(option, text, &o->softness);
    case OPT_ACCURACY:
        return read_double(option, text, &o->accuracy);
    case OPT_RANGE:
        return read_range(text, o);
    case OPT_SEED:
        return read_seed(text, &o->seed);
    case OPT_UNTIL:
        return read_positive(option, text, &o->until);
    default:
        return read_choice(o, option, text);
    }
}

static bool read_look(const char *text, CofLook *look)
{
    static const char *const looks[] = {"subtle", "texture", "cartoon", NULL};
    int index = 0;
    bool ok = read_word(OPT_LOOK, text, looks, &index);
    *look = (CofLook)index;
    return ok;
}

/* How scribbles are spread, and films are learned from. */
static bool read_spreading(Arguments *a, OptionId option, const char *text)
{
    if (option == OPT_THRESHOLD)
        return read_positive(option, text, &a->threshold);
    if (option == OPT_GROW || option == OPT_GAP)
        return read_double(option, text, option == OPT_GROW ? &a->grow : &a->gap);
    if (option == OPT_ADAPT)
        return read_positive(option, text, &a->adapt);
    if (option == OPT_LEARN_FRAME)
        return read_positive_int(option, text, &a->learn_frame);
    int *value = option == OPT_SPREAD_WINDOW ? &a->spread_window : &a->spread_passes;
    return read_positive_int(option, text, value);
}

static bool read_stroke(Arguments *a, OptionId option, const char *text)
{
    if (option == OPT_STROKE)
        a->strokes[a->n_strokes++] = text;
    else
        a->background_strokes[a->n_background_strokes++] = text;
    return stroke_check(name_of(option), text);
}

/* Where the name of a file goes; NULL: the option has none. */
static const char **file_of(Arguments *a, OptionId option)
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

static bool read_option(Arguments *a, OptionId option, const char *text)
{
    a->given[option - OPT_ACCURACY] = true;
    if (option == OPT_ROLLING)
        a->options.repeat = COF_REPEAT_ROLLING;
    if (option == OPT_RELABEL)
        a->options.repeat = COF_REPEAT_RELABEL;
    if (option == OPT_PRESET || !text) /* read_preset() has seen it */
        return true;
    if (option == OPT_LOOK)
        return read_look(text, &a->look);
    if (option == OPT_REGION)
        return read_region(text, &a->region);
    if (option == OPT_STROKE || option == OPT_BACKGROUND_STROKE)
        return read_stroke(a, option, text);
    if (option == OPT_THRESHOLD || option == OPT_SPREAD_WINDOW || option == OPT_SPREAD_PASSES ||
        option == OPT_ADAPT || option == OPT_LEARN_FRAME || option == OPT_GROW || option == OPT_GAP)
        return read_spreading(a, option, text);
    const char **file = file_of(a, option);
    if (file)
        *file = text;
    return file || read_number(&a->options, option, text);
}

/* What getopt_long() knows of a subcommand. */
static void fill_options(Verb verb, struct option options[MOST_OPTIONS])
{
    int n = 0;
    for (const OptionRow *row = option_table; row->id != OPT_END; row++)
        if (row->name && row->verbs & verb)
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

/* A preset goes first, so that other options win wherever they stand. Looks at a copy of the
 * arguments, since getopt moves them about. */
static bool read_preset(Arguments *a, int argc, char **argv, const struct option *options)
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
            ok = read_word(OPT_PRESET, optarg, presets, &index);
            if (ok)
                cof_options_preset(&a->options, (CofPreset)index);
        }
    }
    free(copy);
    return ok;
}

static const char *similar_option(const char *text, const struct option *options)
{
    const char *names[MOST_OPTIONS];
    int n = 0;
    for (; options[n].name; n++)
        names[n] = options[n].name;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    return suggest(name, names, n);
}

/* What getopt did not understand. */
static void complain_option(int found, char **argv, const struct option *options)
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
        fprintf(stderr, "cof: --%s takes no value; %s\n", name_of((OptionId)optopt), advice);
        return;
    }
    const char *similar = similar_option(text, options);
    if (similar)
        fprintf(stderr, "cof: unknown option %s; did you mean --%s?\n", text, similar);
    else
        fprintf(stderr, "cof: unknown option %s; %s\n", text, advice);
}

static const VerbRow *verb_named(const char *name)
{
    for (const VerbRow *row = verb_table; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

/* A word that is neither a subcommand nor a file, but much like one of the former. */
static bool is_misspelt_verb(const char *word)
{
    const char *names[16];
    int n = 0;
    for (; verb_table[n].name; n++)
        names[n] = verb_table[n].name;
    const char *similar = word[0] != '-' && !strpbrk(word, "./") ? suggest(word, names, n) : NULL;
    if (!similar || access(word, F_OK) == 0)
        return false;
    fprintf(stderr, "cof: unknown subcommand %s; did you mean %s?\n", word, similar);
    return true;
}

static Wish answer(OptionId option, const VerbRow *verb)
{
    uint32_t v = cof_version();
    if (option == OPT_HELP)
        print_help(verb);
    else
        printf("cof %u.%u.%u\n", v >> 16, v >> 8 & 255, v & 255);
    return WISH_NOTHING;
}

/* The arguments after the subcommand, if `verb` is not NULL: argv[0] is that then. */
static Wish read_all(Arguments *a, int argc, char **argv, const VerbRow *verb)
{
    struct option options[MOST_OPTIONS];
    fill_options(a->verb, options);
    opterr = 0;
    if (!read_preset(a, argc, argv, options))
        return WISH_WRONG;
    int option;
    optind = 1;
    while ((option = next_option(argc, argv, options)) != -1) {
        if (option == OPT_HELP || option == OPT_VERSION)
            return answer((OptionId)option, verb);
        if (option == '?' || option == ':') {
            complain_option(option, argv, options);
            return WISH_WRONG;
        }
        if (!read_option(a, (OptionId)option, optarg))
            return WISH_WRONG;
    }
    a->names = argv + optind;
    a->n_names = argc - optind;
    return arguments_check(a) ? WISH_GO : WISH_WRONG;
}

Wish arguments_read(Arguments *a, int argc, char **argv)
{
    *a = (Arguments){.verb = VERB_FILTER, .gap = USUAL_GAP};
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
        return WISH_WRONG;
    }
    const VerbRow *verb = argc > 1 ? verb_named(argv[1]) : NULL;
    if (verb)
        a->verb = verb->verb;
    else if (argc > 1 && is_misspelt_verb(argv[1]))
        return WISH_WRONG;
    return verb ? read_all(a, argc - 1, argv + 1, verb) : read_all(a, argc, argv, NULL);
}

void arguments_free(Arguments *a)
{
    free(a->from);
    free(a->strokes);
    free(a->background_strokes);
    free(a->scribbles);
    free(a->background_scribbles);
}
