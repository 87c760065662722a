/* SPDX-License-Identifier: BSD-2-Clause */
/* cof info: prints what a model or statistics contain. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/device_list.h"
#include "commands/option_values.h"
#include "io/cof_file.h"
#include "io/formats.h"
#include "ui/error_line.h"
#include "ui/message_stream.h"

/* The properties of a model or of statistics. */
typedef struct Facts {
    const char *what;
    CofKind kind;
    int k, bands;
    CofOptions options; /* with which it was learned */
    uint64_t pixels;    /* of statistics; 0 for a model */
    int rate;
    const float *palette;
    int palettes, sizes[COF_MAX_PALETTES]; /* entries of each */
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
    if (!model || cof_model_kind(model, &facts.kind) != COF_OK)
        facts.kind = COF_KIND_BANDS;
    if (stats && cof_stats_kind(stats, &facts.kind) != COF_OK)
        facts.kind = COF_KIND_BANDS;
    facts.k = model ? cof_model_size(model) : cof_stats_size(stats);
    facts.palettes = model ? cof_model_palettes(model) : cof_stats_palettes(stats);
    for (int i = 0; i < facts.palettes; i++)
        facts.sizes[i] = model ? cof_model_size(cof_model_member(model, i))
                               : cof_stats_size(cof_stats_member(stats, i));
    facts.palette =
        model ? cof_model_palette(model, &facts.bands) : cof_stats_palette(stats, &facts.bands);
    cof_options_init(&facts.options);
    if (stats)
        cof_stats_options(stats, &facts.options);
    if (model)
        cof_model_options(model, &facts.options);
    facts.pixels = stats ? count_pixels(stats) : 0;
    facts.rate = stats ? cof_stats_sampling_shift(stats) : 0;
    return facts;
}

static const char *kind_name(const Facts *facts)
{
    return facts->palette ? cof_kind_name(facts->kind) : "labels";
}

/* Does a model, or do statistics, store this option? */
static bool is_stored(const CofOptionInfo *info, bool is_model)
{
    if (!is_model)
        return info->group == COF_OPTION_GROUP_LEARN;
    return info->group == COF_OPTION_GROUP_MODEL || info->offset == offsetof(CofOptions, window) ||
           info->offset == offsetof(CofOptions, palettes) ||
           info->offset == offsetof(CofOptions, downscale);
}

/* Prints the stored options: `before`, the name, `between` and the value of each. */
static void print_options(const Facts *f, bool is_model, const char *before, const char *between,
                          bool json)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < cof_option_count(); i++) {
        const CofOptionInfo *info = cof_option_info(i);
        if (info->flags & COF_OPTION_FLAG_NO_FIELD || !is_stored(info, is_model))
            continue;
        g_string_append_printf(text, "%s%s%s", before, info->name, between);
        append_option_value(text, info, &f->options, json);
    }
    fputs(text->str, stdout);
    g_string_free(text, TRUE);
}

static void print_text(const Facts *f, bool is_model)
{
    printf("%s of %s images\n%d", f->what, kind_name(f), f->k);
    for (int i = 1; i < f->palettes; i++)
        printf("%s%d", i == f->palettes - 1 ? " and " : ", ", f->sizes[i]);
    fputs(f->k == 1 && f->palettes < 2 ? " label" : " labels", stdout);
    if (f->palette && f->bands > 1)
        printf(", %d bands", f->bands);
    print_options(f, is_model, "\n", " ", false);
    putchar('\n');
    if (!is_model)
        printf("%" PRIu64 " pixels, one pair in %" PRIu64 " counted\n", f->pixels,
               (uint64_t)1 << f->rate);
}

static void print_json(const Facts *f, bool is_model)
{
    printf("{\"what\": \"%s\", \"kind\": \"%s\", \"labels\": %d, \"bands\": %d", f->what,
           kind_name(f), f->k, f->bands);
    print_options(f, is_model, ", \"", "\": ", true);
    if (!is_model)
        printf(", \"pixels\": %" PRIu64 ", \"rate\": %d", f->pixels, f->rate);
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

static void print_pair(const Arguments *a, const CofFile *file)
{
    bool json = option_set(a, OPT_JSON), plain = !json && !option_set(a, OPT_PRINT_MATRIX);
    fputs(json ? "{\"what\": \"pair\", \"foreground\": " : plain ? "foreground: " : "", stdout);
    print_facts(a, NULL, file->foreground);
    fputs(json ? ", \"background\": " : plain ? "\nbackground: " : "\n", stdout);
    print_facts(a, NULL, file->model);
    if (json)
        puts("}");
}

/* The matrix of statistics is that of the model that is made of them. */
static bool make_model(const char *name, CofFile *file)
{
    CofProblem problem;
    CofOptions options;
    cof_options_init(&options);
    options.problem = &problem;
    return file->model || cof_model_new(&file->model, file->stats, &options) == COF_OK ||
           print_cof_problem(name, &problem);
}

static bool flush_output(void)
{
    if (fflush(message_output()) == 0)
        return true;
    print_error("standard output", strerror(errno));
    return false;
}

bool command_info(const Arguments *a)
{
    if (option_set(a, OPT_DEVICES))
        return device_list_print(option_set(a, OPT_JSON)) && flush_output();
    if (option_set(a, OPT_FORMATS)) {
        formats_print();
        return flush_output();
    }
    CofFile file;
    bool ok = cof_file_load(a->operands[0], &file) &&
              (!option_set(a, OPT_PRINT_MATRIX) || make_model(a->operands[0], &file));
    if (ok && file.kind == COF_FILE_KIND_PAIR)
        print_pair(a, &file);
    else if (ok)
        print_facts(a, file.stats, file.model);
    ok = ok && flush_output();
    cof_file_free(&file);
    return ok;
}
