/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the command line. */
#include "options/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/formats.h"
#include "io/paths.h"
#include "options/arguments_folders.h"
#include "options/arguments_options.h"
#include "options/help.h"
#include "options/manual_list.h"
#include "options/parse_value.h"
#include "options/strokes.h"
#include "options/suggest.h"
#include "ui/error_line.h"
#include "vips_pixels.h"

#define MAX_DILATE 1000
#define MAX_STEADY 0.99
#define PRESET_STEADY 0.8 /* of the preset for video */

/* What getopt_long() returns for option i of the list; above all characters. */
#define FIRST_CODE 256

/* The options of a subcommand, for getopt_long(). */
typedef struct Parser {
    Option options[MAX_OPTIONS];
    int n_options;
    char american[MAX_OPTIONS][MAX_WORD_LENGTH + 1];
    struct option entries[2 * MAX_OPTIONS + 1]; /* in both spellings */
    char letters[16];
} Parser;

static void parser_init(Parser *parser, Subcommand subcommand)
{
    int n = 0;
    char *letter = parser->letters;
    *letter++ = ':';
    parser->n_options = options_of(subcommand, parser->options);
    for (int i = 0; i < parser->n_options; i++) {
        const Option *option = &parser->options[i];
        int argument = option->has_value ? required_argument : no_argument;
        american_spelling(option->name, parser->american[i]);
        parser->entries[n++] = (struct option){option->name, argument, NULL, FIRST_CODE + i};
        if (strcmp(option->name, parser->american[i]) != 0)
            parser->entries[n++] =
                (struct option){parser->american[i], argument, NULL, FIRST_CODE + i};
        if (option->letter)
            *letter++ = option->letter;
        if (option->letter && option->has_value)
            *letter++ = ':';
    }
    *letter = '\0';
    parser->entries[n] = (struct option){NULL, 0, NULL, 0};
}

/* The option that getopt found; NULL if its code is none. */
static const Option *parser_option(const Parser *parser, int code)
{
    for (int i = 0; i < parser->n_options; i++)
        if (code == FIRST_CODE + i || (parser->options[i].letter == code && code > 0))
            return &parser->options[i];
    return NULL;
}

/* The field for the text of an option; NULL if its value is parsed further. */
static const char **text_field(Arguments *a, OwnOption option)
{
    switch (option) {
    case OPT_BACKGROUND:
        return &a->background;
    case OPT_BACKGROUND_SCRIBBLE:
        return &a->background_scribbles[a->n_background_scribbles++];
    case OPT_BACKGROUND_STROKE:
        return &a->background_strokes[a->n_background_strokes++];
    case OPT_CO:
        return &a->creation_options[a->n_creation_options++];
    case OPT_COLOUR:
        return &a->colour;
    case OPT_CORRECT:
        return &a->correct;
    case OPT_APPLY_MASK:
        return &a->apply_mask;
    case OPT_DEVICE:
        return &a->device;
    case OPT_ENCODE:
        return &a->encode;
    case OPT_FORMAT:
        return &a->format;
    case OPT_GUIDE:
        return &a->guide;
    case OPT_LABELS:
        return &a->labels;
    case OPT_LEARN_FROM:
        return &a->learn_from[a->n_learn_from++];
    case OPT_MASK:
        return &a->mask;
    case OPT_MATRIX:
        return &a->matrix;
    case OPT_MATTE:
        return &a->matte;
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
    case OPT_RESIDUAL:
        return &a->residual;
    case OPT_SAVE_MODEL:
        return &a->save_model;
    case OPT_SCRIBBLE:
        return &a->scribbles[a->n_scribbles++];
    case OPT_SIDE_BY_SIDE:
        return &a->side_by_side;
    case OPT_STROKE:
        return &a->strokes[a->n_strokes++];
    default:
        return NULL;
    }
}

static bool parse_own_option(Arguments *a, OwnOption option, const char *text)
{
    a->is_set[option] = true;
    switch (option) {
    case OPT_REGION:
        return parse_region(text, &a->region);
    case OPT_RANGE:
        return parse_range(text, &a->low, &a->high);
    case OPT_KIND:
        return parse_word(option, text, pixels_kind_words(), &a->kind);
    case OPT_READER:
        return parse_word(option, text, reader_words, &a->reader);
    case OPT_ALLOW_READER:
        return parse_word(option, text, allow_reader_words, &a->allow_reader);
    case OPT_BANDS:
        return parse_bands(option, text, &a->bands);
    case OPT_FILTER_BANDS:
        return parse_bands(option, text, &a->filter_bands);
    case OPT_DILATE:
        return parse_number(option, text, 0, MAX_DILATE, &a->dilate);
    case OPT_ADAPT:
        return parse_number(option, text, 0, 1, &a->adapt);
    case OPT_STEADY:
        return parse_number(option, text, 0, MAX_STEADY, &a->steady);
    case OPT_NODATA:
        return parse_nodata(text, &a->nodata_rule, &a->nodata);
    case OPT_PAGES:
        return parse_pages(option, text, &a->pages, NULL);
    case OPT_LEARN_PAGES:
        return parse_pages(option, text, &a->learn_pages, &a->learn_each_page);
    case OPT_LEARN_FRAME:
        return parse_count(option, text, &a->learn_frame);
    case OPT_MAX_PIXELS:
        return parse_pixels(option, text, &a->max_pixels);
    case OPT_QUALITY:
        return parse_int(option, text, 1, 100, &a->quality);
    case OPT_POSTERISE:
        return parse_int(option, text, 2, COF_MAX_COLOURS, &a->posterise);
    case OPT_MIN_AREA:
        return parse_number(option, text, 0, 1, &a->min_area);
    default:
        break;
    }
    const char **field = text ? text_field(a, option) : NULL;
    if (field)
        *field = text;
    if (option == OPT_CO)
        return check_creation_option(text);
    return !(option == OPT_STROKE || option == OPT_BACKGROUND_STROKE) ||
           stroke_check(own_option_name(option), text);
}

static const char *similar_option(const char *text, const Parser *parser)
{
    const char *names[MAX_OPTIONS];
    char name[64];
    for (int i = 0; i < parser->n_options; i++)
        names[i] = parser->options[i].name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    return suggest(name, names, parser->n_options);
}

/* Whether another subcommand has the option. */
static bool is_option_elsewhere(const char *text)
{
    Option options[MAX_OPTIONS];
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    for (const SubcommandRow *row = subcommand_table; row->name; row++)
        for (int i = options_of(row->subcommand, options) - 1; i >= 0; i--)
            if (is_word(name, options[i].name))
                return true;
    return false;
}

/* Prints that no option of the subcommand has this name. */
static void print_unknown_option(const char *text, const Parser *parser, Subcommand subcommand)
{
    const char *similar = similar_option(text, parser), *name = subcommand_row(subcommand)->name;
    if (is_option_elsewhere(text))
        print_usage_error("%s has no %.*s; see cof %s --help", name, (int)strcspn(text, "="), text,
                          name);
    else if (similar)
        print_usage_error("unknown option %s; did you mean --%s?", text, similar);
    else
        print_usage_error("unknown option %s; see cof --help", text);
}

/* Prints why getopt rejected an option. */
static void print_option_error(int found, char **argv, const Parser *parser, Subcommand subcommand)
{
    const char *advice = "see cof --help", *text = argv[optind - 1];
    if (found == ':') {
        print_usage_error("%s needs a value; %s", text, advice);
        return;
    }
    if (optopt > 0 && optopt < FIRST_CODE) {
        print_usage_error("unknown option -%c; %s", optopt,
                          optopt == 'v' ? "-V shows the version" : advice);
        return;
    }
    if (optopt >= FIRST_CODE) {
        print_usage_error("--%s takes no value; %s", parser_option(parser, optopt)->name, advice);
        return;
    }
    print_unknown_option(text, parser, subcommand);
}

static void print_version(void)
{
    uint32_t v = cof_version();
    printf("cof %u.%u.%u\n", v >> 16, v >> 8 & 255, v & 255);
}

/* Where the last operand is the output, --output and --in-place name it instead. */
static void name_last_operand(Arguments *a)
{
    if (!(a->subcommand & (CMD_APPLY | CMD_FOCUS | CMD_RECOLOUR | CMD_VIDEO)))
        return;
    if (option_set(a, OPT_IN_PLACE) && a->n_operands > 0) {
        a->operands[a->n_operands] = a->operands[a->n_operands - 1];
        a->n_operands++;
    } else if (a->output) {
        a->operands[a->n_operands++] = (char *)a->output;
        a->output = NULL;
    }
}

/* Parses what follows argv[0], which is the name of the subcommand if `subcommand` is not NULL. */
static ParseResult parse_all(Arguments *a, int argc, char **argv, const SubcommandRow *subcommand)
{
    Parser parser;
    parser_init(&parser, a->subcommand);
    opterr = 0;
    optind = 1;
    for (int code; (code = getopt_long(argc, argv, parser.letters, parser.entries, NULL)) != -1;) {
        const Option *option = parser_option(&parser, code);
        if (!option) {
            print_option_error(code, argv, &parser, a->subcommand);
            return PARSE_ERROR;
        }
        if (option->own && option->own->id == OPT_HELP) {
            print_help(subcommand);
            return PARSE_EXIT;
        }
        if (option->own && option->own->id == OPT_VERSION) {
            print_version();
            return PARSE_EXIT;
        }
        if (!(option->own ? parse_own_option(a, option->own->id, optarg)
                          : parse_library_option(a, option->index, optarg)))
            return PARSE_ERROR;
    }
    a->n_operands = argc - optind;
    memcpy(a->operands, argv + optind, (size_t)a->n_operands * sizeof *argv);
    name_last_operand(a);
    return PARSE_RUN;
}

/* Whether a word is neither a subcommand nor a file. Prints an error if so. */
static bool is_unknown_word(const char *word)
{
    if (word[0] == '-' || word[0] == '\0' || strpbrk(word, "./") || access(word, F_OK) == 0)
        return false;
    const char *similar = similar_subcommand(word);
    if (similar)
        print_usage_error("unknown subcommand %s; did you mean %s?", word, similar);
    else
        print_usage_error("%s is neither a subcommand nor a file; see cof --help", word);
    return true;
}

static bool is_help(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "help") == 0 && access(argv[1], F_OK) != 0;
}

/* cof help [SUBCOMMAND] */
static ParseResult parse_help(const char *name)
{
    const SubcommandRow *subcommand = name ? find_subcommand(name) : NULL;
    if (!name || subcommand) {
        print_help(subcommand);
        return PARSE_EXIT;
    }
    const char *similar = similar_subcommand(name);
    if (similar)
        print_usage_error("unknown subcommand %s; did you mean %s?", name, similar);
    else
        print_usage_error("unknown subcommand %s; see cof --help", name);
    return PARSE_ERROR;
}

/* Handles the options for shells and the manual, which are not in the help. */
static bool print_list(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    const SubcommandRow *subcommand = argc > 2 ? find_subcommand(argv[2]) : NULL;
    if (strcmp(first, "--help-scd") == 0)
        print_manual_list();
    else if (strcmp(first, "--complete-subcommands") == 0)
        print_subcommands();
    else if (strcmp(first, "--complete-options") == 0 && subcommand)
        print_option_names(subcommand);
    else if (strcmp(first, "--complete-words") == 0 && argc > 2)
        print_words(argv[2]);
    else
        return false;
    return true;
}

static bool allocate_lists(Arguments *a, int argc)
{
    const char ***lists[] = {&a->learn_from,           &a->strokes,
                             &a->background_strokes,   &a->scribbles,
                             &a->background_scribbles, &a->creation_options};
    a->operands = calloc((size_t)argc + 1, sizeof *a->operands);
    bool ok = a->operands != NULL;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        *lists[i] = calloc((size_t)argc + 1, sizeof **lists[i]);
        ok = ok && *lists[i];
    }
    if (!ok)
        print_usage_error("not enough memory");
    return ok;
}

/* "cof FOLDER OUTPUT" is short for "cof FOLDER -o OUTPUT", as is "cof IMAGE OUTPUT/". */
static void accept_folder(Arguments *a)
{
    if (a->subcommand == CMD_FILTER && !a->output && !option_set(a, OPT_IN_PLACE) &&
        a->n_operands == 2 &&
        (path_is_folder(a->operands[0]) || g_str_has_suffix(a->operands[1], "/"))) {
        a->output = a->operands[1];
        a->n_operands = 1;
    }
}

ParseResult arguments_read(Arguments *a, int argc, char **argv)
{
    *a = (Arguments){.subcommand = CMD_FILTER};
    if (!allocate_lists(a, argc))
        return PARSE_ERROR;
    if (is_help(argc, argv))
        return parse_help(argc > 2 ? argv[2] : NULL);
    if (print_list(argc, argv))
        return PARSE_EXIT;
    const SubcommandRow *subcommand = argc > 1 ? find_subcommand(argv[1]) : NULL;
    if (subcommand)
        a->subcommand = subcommand->subcommand;
    else if (argc > 1 && is_unknown_word(argv[1]))
        return PARSE_ERROR;
    ParseResult result =
        subcommand ? parse_all(a, argc - 1, argv + 1, subcommand) : parse_all(a, argc, argv, NULL);
    if (result == PARSE_RUN) {
        a->options = arguments_options_without_preset(a);
        bool for_video = arguments_value(a, "preset") && a->preset == COF_PRESET_VIDEO;
        if (for_video && !option_set(a, OPT_STEADY))
            a->steady = PRESET_STEADY;
        accept_folder(a);
    }
    return result;
}

void arguments_free(Arguments *a)
{
    arguments_folders_free(a);
    free(a->operands);
    free(a->learn_from);
    free(a->strokes);
    free(a->background_strokes);
    free(a->scribbles);
    free(a->background_scribbles);
    free(a->creation_options);
}
