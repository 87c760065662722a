/* SPDX-License-Identifier: BSD-2-Clause */
/* cof info: prints what a model or statistics contain. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "io/cof_file.h"
#include "io/model_pair.h"
#include "ui/error_line.h"

/* The properties of a model or of statistics. */
typedef struct Facts {
    const char *what;
    CofKind kind;
    int k, bands;
    CofOptions options; /* with which it was learned */
    uint64_t pixels;    /* of statistics; 0 for a model */
    int rate;
    const float *palette;
} Facts;

static uint64_t count_pixels(const CofStats *stats)
{
    const uint64_t *histogram = cof_stats_histogram(stats);
    uint64_t sum = 0;
    for (int i = 0; histogram && i < cof_stats_size(stats); i++)
        sum += histogram[i];
    return sum;
}

static Facts get_facts(const CofStats *stats, const CofModel *model)
{
    Facts facts = {.what = model ? "model" : "statistics"};
    facts.kind = model ? cof_model_kind(model) : cof_stats_kind(stats);
    facts.k = model ? cof_model_size(model) : cof_stats_size(stats);
    facts.palette =
        model ? cof_model_palette(model, &facts.bands) : cof_stats_palette(stats, &facts.bands);
    cof_options_init(&facts.options);
    cof_stats_options(stats, &facts.options);
    cof_model_options(model, &facts.options);
    facts.pixels = stats ? count_pixels(stats) : 0;
    facts.rate = stats ? cof_stats_rate(stats) : 0;
    return facts;
}

static const char *kind_name(const Facts *facts)
{
    return !facts->palette                ? "labels"
           : facts->kind == COF_KIND_RGB  ? "colour"
           : facts->kind == COF_KIND_GREY ? "grey"
                                          : "bands";
}

static const char *normalise_name(const CofOptions *options)
{
    return options->normalise == COF_NORMALISE_COUNTS ? "counts" : "marginals";
}

static void print_text(const Facts *f, bool is_model)
{
    const CofOptions *o = &f->options;
    printf("%s of %s pictures\n%d labels", f->what, kind_name(f), f->k);
    if (f->palette && f->bands > 1)
        printf(", %d bands", f->bands);
    printf("\nlearning window %d x %d\n", o->window, o->window);
    if (is_model)
        printf("sigma %g, softness %g, normalised by %s\n", o->sigma, o->softness,
               normalise_name(o));
    else
        printf("colours %d, levels %d, seed %" PRIu64 ", %s sampling\n"
               "%" PRIu64 " pixels, one pair in %" PRIu64 " counted\n",
               o->colours, o->levels, o->seed, o->sampling == COF_SAMPLING_ALL ? "no" : "automatic",
               f->pixels, (uint64_t)1 << f->rate);
}

static void print_json(const Facts *f, bool is_model)
{
    const CofOptions *o = &f->options;
    printf("{\"what\": \"%s\", \"kind\": \"%s\", \"labels\": %d, \"bands\": %d, \"window\": %d",
           f->what, kind_name(f), f->k, f->bands, o->window);
    if (is_model)
        printf(", \"sigma\": %.17g, \"softness\": %.17g, \"normalise\": \"%s\"", o->sigma,
               o->softness, normalise_name(o));
    else
        printf(", \"colours\": %d, \"levels\": %d, \"low\": %.17g, \"high\": %.17g, "
               "\"seed\": %" PRIu64 ", \"sampling\": \"%s\", \"pixels\": %" PRIu64 ", \"rate\": %d",
               o->colours, o->levels, o->low, o->high, o->seed,
               o->sampling == COF_SAMPLING_ALL ? "all" : "auto", f->pixels, f->rate);
    fputs(", \"palette\": [", stdout);
    for (int i = 0; f->palette && i < f->k; i++) {
        fputs(i == 0 ? "[" : ", [", stdout);
        for (int band = 0; band < f->bands; band++)
            printf("%s%.9g", band == 0 ? "" : ", ", (double)f->palette[i * f->bands + band]);
        putchar(']');
    }
    puts("]}");
}

static void print_matrix(const CofModel *model)
{
    int k = cof_model_size(model);
    const double *m = cof_model_matrix(model);
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++)
            printf("%.17g%c", m[a * k + b], b == k - 1 ? '\n' : ',');
}

static void print_facts(const Arguments *a, const CofStats *stats, const CofModel *model)
{
    Facts facts = get_facts(stats, stats ? NULL : model);
    if (option_set(a, OPT_PRINT_MATRIX))
        print_matrix(model);
    else if (option_set(a, OPT_JSON))
        print_json(&facts, !stats);
    else
        print_text(&facts, !stats);
}

static bool print_pair(const Arguments *a)
{
    CofModel *foreground = NULL, *background = NULL;
    if (!model_pair_load(&foreground, &background, a->operands[0]))
        return false;
    bool json = option_set(a, OPT_JSON), plain = !json && !option_set(a, OPT_PRINT_MATRIX);
    fputs(json ? "{\"what\": \"pair\", \"foreground\": " : plain ? "foreground: " : "", stdout);
    print_facts(a, NULL, foreground);
    fputs(json ? ", \"background\": " : plain ? "\nbackground: " : "\n", stdout);
    print_facts(a, NULL, background);
    if (json)
        puts("}");
    cof_model_free(&foreground);
    cof_model_free(&background);
    return true;
}

static bool print_single(const Arguments *a)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    bool ok = cof_file_load(a->operands[0], &stats, &model);
    if (ok && option_set(a, OPT_PRINT_MATRIX) && !model) {
        CofStatus status = cof_model_new(&model, stats, NULL);
        ok = status == COF_OK;
        if (!ok)
            print_error(a->operands[0], cof_status_string(status));
    }
    if (ok)
        print_facts(a, stats, model);
    cof_stats_free(&stats);
    cof_model_free(&model);
    return ok;
}

bool command_info(const Arguments *a)
{
    bool ok = model_pair_is(a->operands[0]) ? print_pair(a) : print_single(a);
    if (ok && fflush(stdout) != 0) {
        print_error("standard output", strerror(errno));
        ok = false;
    }
    return ok;
}
