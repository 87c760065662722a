/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON report of --report. */
#include "commands/report.h"

#include <string.h>

#include "io/cof_file.h"
#include "options/arguments_preset.h"
#include "vips_operations.h"

static void add_string(GString *text, const char *value)
{
    g_string_append_c(text, '"');
    for (const char *c = value; *c != '\0'; c++)
        if (*c == '"' || *c == '\\')
            g_string_append_printf(text, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            g_string_append_printf(text, "\\u%04x", (unsigned char)*c);
        else
            g_string_append_c(text, *c);
    g_string_append_c(text, '"');
}

static void add_number(GString *text, const char *name, double value)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(text, ", \"%s\": %s", name,
                           g_ascii_dtostr(number, sizeof number, value));
}

/* The options in effect. A look sets the window by the size of the image to learn from, and all
 * else by that of the image to filter. */
static CofOptions effective_options(const Arguments *a, const OptionImages *images, VipsImage *in)
{
    VipsImage *learned_from = learning_image(images, in);
    CofOptions options = arguments_options(a, in->Xsize, in->Ysize);
    options.window = arguments_options(a, learned_from->Xsize, learned_from->Ysize).window;
    return options;
}

/* 0 stands for a value that follows from other options. */
static void add_options(GString *text, const CofOptions *o)
{
    static const char *const presets[] = {"paper", "authors", "app"};
    static const char *const borders[] = {"clip", "mirror", "reflect101"};
    static const char *const methods[] = {"exact", "fast", "auto"};
    static const char *const repeats[] = {"frozen", "relabel", "rolling"};
    g_string_append_printf(
        text,
        "{\"preset\": \"%s\", \"border\": \"%s\", \"method\": \"%s\", \"repeat\": \"%s\", "
        "\"normalise\": \"%s\", \"space\": \"%s\"",
        presets[o->variant], borders[o->border], methods[o->method], repeats[o->update],
        o->normalise == COF_NORMALISE_COUNTS ? "counts" : "marginals",
        o->space == COF_SPACE_LAB ? "lab" : "rgb");
    add_number(text, "coarse", o->downscale);
    add_number(text, "window", o->window);
    add_number(text, "sigma", o->sigma);
    add_number(text, "colours", o->colours);
    add_number(text, "levels", o->levels);
    add_number(text, "softness", o->softness);
    add_number(text, "filter_window", o->filter_window);
    add_number(text, "filter_sigma", o->filter_sigma);
    add_number(text, "iterations", o->iterations);
    add_number(text, "until", o->tolerance);
    add_number(text, "accuracy", o->accuracy);
    g_string_append_c(text, '}');
}

bool report_save(const Arguments *a, const OptionImages *images, const char *input, VipsImage *in,
                 VipsImage *out)
{
    static const char *const looks[] = {"subtle", "texture", "cartoon"};
    CofOptions options = effective_options(a, images, in);
    char *run_report = vips_cof_report(out);
    uint32_t v = cof_version();
    GString *text = g_string_new(NULL);
    g_string_append_printf(
        text, "{\"cof\": \"%u.%u.%u\", \"libvips\": \"%d.%d.%d\", \"input\": ", v >> 16,
        v >> 8 & 255, v & 255, vips_version(0), vips_version(1), vips_version(2));
    add_string(text, input);
    g_string_append_printf(
        text, ", \"width\": %d, \"height\": %d, \"bands\": %d, \"look\": \"%s\", \"options\": ",
        in->Xsize, in->Ysize, in->Bands, option_set(a, OPT_LOOK) ? looks[a->look] : "none");
    add_options(text, &options);
    g_string_append_printf(text, ", \"run\": %s}\n", run_report);
    bool ok = cof_file_write(a->report, text->str, text->len);
    g_string_free(text, TRUE);
    g_free(run_report);
    return ok;
}
