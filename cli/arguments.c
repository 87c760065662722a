/* SPDX-License-Identifier: BSD-2-Clause */
/* What was asked for on the command line. */
#include "arguments.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: cof [OPTION]... INPUT OUTPUT\n"
    "Smooths the textures of a picture and keeps the boundaries between them.\n"
    "\n"
    "Learning\n"
    "  --window N           odd side of the learning window, 1 to 63 (15)\n"
    "  --sigma S            std of the learning Gaussian in pixels (from the window)\n"
    "  --colours K          size of the palette of a colour picture, 1 to 256 (32)\n"
    "  --levels K           bins of a grey picture, 2 to 256 (256: exact for 8 bits)\n"
    "  --softness F         how far a colour counts for similar ones; 0 = hard (0.75)\n"
    "  --normalise N        counts or marginals (counts)\n"
    "  --mask FILE          learn only where this picture is not black\n"
    "  --region X,Y,W,H     learn only inside this rectangle\n"
    "  --labels FILE        8-bit picture of labels to use instead of a palette\n"
    "\n"
    "Filtering\n"
    "  --filter-window N    odd side, 1 to 255 (the learning window)\n"
    "  --filter-sigma S     std in pixels (the learning sigma)\n"
    "  --iterations N       passes, 1 to 1000 (1)\n"
    "  --rolling            learn anew before each pass\n"
    "  --border B           clip, mirror or reflect101 (clip)\n"
    "  --space S            average colours in lab or rgb (lab)\n"
    "  --method M           exact, fast, or auto: fast where that saves half of the time (exact)\n"
    "  --accuracy DB        how near to exact the fast method keeps, 30 to 70 dB (45)\n"
    "\n"
    "  --preset P           paper, authors or app: sets sigmas, softness, normalise, border\n"
    "  --threads N          0 = one per core (0)\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 done, 1 a file or its content is at fault, 2 wrong usage.\n";

enum {
    OPT_ACCURACY = 256,
    OPT_BORDER,
    OPT_COLOURS,
    OPT_FILTER_SIGMA,
    OPT_FILTER_WINDOW,
    OPT_HELP,
    OPT_ITERATIONS,
    OPT_LABELS,
    OPT_LEVELS,
    OPT_MASK,
    OPT_METHOD,
    OPT_NORMALISE,
    OPT_PRESET,
    OPT_REGION,
    OPT_ROLLING,
    OPT_SIGMA,
    OPT_SOFTNESS,
    OPT_SPACE,
    OPT_THREADS,
    OPT_VERSION,
    OPT_WINDOW
};

static const struct option long_options[] = {
    {"accuracy", required_argument, NULL, OPT_ACCURACY},
    {"border", required_argument, NULL, OPT_BORDER},
    {"colours", required_argument, NULL, OPT_COLOURS},
    {"filter-sigma", required_argument, NULL, OPT_FILTER_SIGMA},
    {"filter-window", required_argument, NULL, OPT_FILTER_WINDOW},
    {"help", no_argument, NULL, OPT_HELP},
    {"iterations", required_argument, NULL, OPT_ITERATIONS},
    {"labels", required_argument, NULL, OPT_LABELS},
    {"levels", required_argument, NULL, OPT_LEVELS},
    {"mask", required_argument, NULL, OPT_MASK},
    {"method", required_argument, NULL, OPT_METHOD},
    {"normalise", required_argument, NULL, OPT_NORMALISE},
    {"preset", required_argument, NULL, OPT_PRESET},
    {"region", required_argument, NULL, OPT_REGION},
    {"rolling", no_argument, NULL, OPT_ROLLING},
    {"sigma", required_argument, NULL, OPT_SIGMA},
    {"softness", required_argument, NULL, OPT_SOFTNESS},
    {"space", required_argument, NULL, OPT_SPACE},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"version", no_argument, NULL, OPT_VERSION},
    {"window", required_argument, NULL, OPT_WINDOW},
    {NULL, 0, NULL, 0},
};

static const char *option_name(int option)
{
    for (const struct option *o = long_options; o->name; o++)
        if (o->val == option)
            return o->name;
    return "";
}

static bool read_int(int option, const char *text, int *value)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < INT_MIN || number > INT_MAX) {
        fprintf(stderr, "cof: --%s wants a whole number, not '%s'\n", option_name(option), text);
        return false;
    }
    *value = (int)number;
    return true;
}

/* 0 means "choose for me" to the library; here that is said by leaving the option out. */
static bool read_positive_int(int option, const char *text, int *value)
{
    if (!read_int(option, text, value))
        return false;
    if (*value > 0)
        return true;
    fprintf(stderr, "cof: --%s must be above 0\n", option_name(option));
    return false;
}

static bool read_double(int option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0')
        return true;
    fprintf(stderr, "cof: --%s wants a number, not '%s'\n", option_name(option), text);
    return false;
}

static bool read_positive(int option, const char *text, double *value)
{
    if (!read_double(option, text, value))
        return false;
    if (*value > 0)
        return true;
    fprintf(stderr, "cof: --%s must be above 0\n", option_name(option));
    return false;
}

/* The index of a word in a list that ends with NULL. */
static bool read_word(int option, const char *text, const char *const *words, int *index)
{
    for (*index = 0; words[*index]; (*index)++)
        if (strcmp(text, words[*index]) == 0)
            return true;
    fprintf(stderr, "cof: --%s wants ", option_name(option));
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

static bool read_choice(Arguments *a, int option, const char *text)
{
    static const char *const borders[] = {"clip", "mirror", "reflect101", NULL};
    static const char *const methods[] = {"exact", "fast", "auto", NULL};
    static const char *const norms[] = {"counts", "marginals", NULL};
    static const char *const spaces[] = {"lab", "rgb", NULL};
    int index = 0;
    switch (option) {
    case OPT_BORDER:
        if (!read_word(option, text, borders, &index))
            return false;
        a->options.border = (CofBorder)index;
        return true;
    case OPT_METHOD:
        if (!read_word(option, text, methods, &index))
            return false;
        a->options.method = (CofMethod)index;
        return true;
    case OPT_NORMALISE:
        if (!read_word(option, text, norms, &index))
            return false;
        a->options.normalise = (CofNormalise)index;
        return true;
    default:
        if (!read_word(option, text, spaces, &index))
            return false;
        a->options.space = (CofSpace)index;
        return true;
    }
}

static bool read_option(Arguments *a, int option, const char *text)
{
    CofOptions *o = &a->options;
    switch (option) {
    case OPT_WINDOW:
        return read_int(option, text, &o->window);
    case OPT_SIGMA:
        return read_positive(option, text, &o->sigma);
    case OPT_COLOURS:
        a->colours_given = true;
        return read_int(option, text, &o->colours);
    case OPT_LEVELS:
        return read_int(option, text, &o->levels);
    case OPT_SOFTNESS:
        return read_double(option, text, &o->softness);
    case OPT_ACCURACY:
        return read_double(option, text, &o->accuracy);
    case OPT_FILTER_WINDOW:
        return read_positive_int(option, text, &o->filter_window);
    case OPT_FILTER_SIGMA:
        return read_positive(option, text, &o->filter_sigma);
    case OPT_ITERATIONS:
        return read_int(option, text, &o->iterations);
    case OPT_THREADS:
        return read_int(option, text, &o->threads);
    case OPT_ROLLING:
        o->repeat = COF_REPEAT_ROLLING;
        return true;
    case OPT_MASK:
        a->mask = text;
        return true;
    case OPT_LABELS:
        a->labels = text;
        return true;
    case OPT_REGION:
        return read_region(text, &a->region);
    case OPT_PRESET: /* read_preset() has seen it */
        return true;
    default:
        return read_choice(a, option, text);
    }
}

/* A preset goes first, so that other options win wherever they stand. Looks at a copy of the
 * arguments, since getopt moves them about. */
static bool read_preset(Arguments *a, int argc, char **argv)
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
    while (ok && (option = getopt_long(argc, copy, ":", long_options, NULL)) != -1) {
        if (option == OPT_HELP || option == OPT_VERSION)
            break;
        if (option == OPT_PRESET) {
            ok = read_word(option, optarg, presets, &index);
            if (ok)
                cof_options_preset(&a->options, (CofPreset)index);
        }
    }
    free(copy);
    return ok;
}

/* What getopt did not understand. */
static void complain_option(int found, char **argv)
{
    const char *advice = "see cof --help";
    if (found == ':')
        fprintf(stderr, "cof: %s wants a value; %s\n", argv[optind - 1], advice);
    else if (optopt > 0 && optopt < 256)
        fprintf(stderr, "cof: unknown option -%c; %s\n", optopt, advice);
    else if (optopt >= 256)
        fprintf(stderr, "cof: --%s takes no value; %s\n", option_name(optopt), advice);
    else
        fprintf(stderr, "cof: unknown option %s; %s\n", argv[optind - 1], advice);
}

static bool check(const Arguments *a)
{
    const char *problem;
    if (cof_options_check(&a->options, &problem) != COF_OK) {
        /* The library's sentences begin with the name of the option. */
        fputs("cof: --", stderr);
        for (; *problem != '\0' && *problem != ' '; problem++)
            fputc(*problem == '_' ? '-' : *problem, stderr);
        fprintf(stderr, "%s\n", problem);
        return false;
    }
    if (a->labels && a->options.repeat == COF_REPEAT_ROLLING) {
        fputs("cof: --rolling does not go with --labels\n", stderr);
        return false;
    }
    return true;
}

static bool read_names(Arguments *a, int argc, char **argv)
{
    if (argc - optind != 2) {
        fputs(argc - optind < 2 ? "cof: an input and an output file are needed; see cof --help\n"
                                : "cof: more than two files were named; see cof --help\n",
              stderr);
        return false;
    }
    a->input = argv[optind];
    a->output = argv[optind + 1];
    return true;
}

Wish arguments_read(Arguments *arguments, int argc, char **argv)
{
    Arguments *a = arguments;
    *a = (Arguments){0};
    cof_options_init(&a->options);
    opterr = 0;
    if (!read_preset(a, argc, argv))
        return WISH_WRONG;
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
        if (option == OPT_HELP) {
            fputs(help, stdout);
            return WISH_NOTHING;
        }
        if (option == OPT_VERSION) {
            uint32_t v = cof_version();
            printf("cof %u.%u.%u\n", v >> 16, v >> 8 & 255, v & 255);
            return WISH_NOTHING;
        }
        if (option == '?' || option == ':') {
            complain_option(option, argv);
            return WISH_WRONG;
        }
        if (!read_option(a, option, optarg))
            return WISH_WRONG;
    }
    return read_names(a, argc, argv) && check(a) ? WISH_FILTER : WISH_WRONG;
}
