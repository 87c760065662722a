/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes about options that had no effect, or little. */
#include "options/option_notes.h"

#include "options/arguments_options.h"
#include "options/background_effect.h"
#include "options/spelling.h"
#include "ui/error_line.h"
#include "vips_pixels.h"

#define PAINTS (CMD_FOCUS | CMD_RECOLOUR)

static gint seen_grey, seen_colour; /* also of other bands, which have a palette, too */

static bool is_grey(const Arguments *a, const VipsImage *image)
{
    if (a->kind > 0)
        return a->kind == BANDS_AS_GREY + COF_KIND_GREY ||
               a->kind == BANDS_AS_GREY + COF_KIND_GREY_ALPHA;
    bool has_alpha = image->Bands == 2 && (image->Type == VIPS_INTERPRETATION_B_W ||
                                           image->Type == VIPS_INTERPRETATION_GREY16);
    return image->Bands == 1 || has_alpha;
}

/* With a guide or labels, the image is not what is learned from. */
void option_notes_see(const Arguments *a, const VipsImage *image)
{
    if (!a->guide && !a->labels)
        g_atomic_int_set(is_grey(a, image) ? &seen_grey : &seen_colour, 1);
}

static void print_no_effect(const char *option, const char *circumstances)
{
    char *text = g_strdup_printf("--%s has no effect %s", option, circumstances);
    g_strdelimit(text, "_", '-');
    print_note(NULL, text);
    g_free(text);
}

/* Whether an option of the library was set to another value than its default. */
static bool is_changed(const Arguments *a, const char *name)
{
    const CofOptionInfo *info = cof_option_find(name);
    double value;
    return arguments_value(a, name) &&
           (info->flags & COF_OPTION_FLAG_NO_FIELD ||
            cof_option_get(&a->options, info, &value) != COF_OK || value != info->default_value);
}

/* Notes the options of the library in a list that ends with NULL. */
static void note_options(const Arguments *a, const char *const *names, const char *circumstances)
{
    for (int i = 0; names[i]; i++)
        if (is_changed(a, names[i]))
            print_no_effect(names[i], circumstances);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void note_kinds(const Arguments *a)
{
    if (seen_colour && !seen_grey) {
        note_options(a, NAMES("levels"), "on colour images");
        if (option_set(a, OPT_RANGE))
            print_no_effect("range", "on colour images");
    }
    if (seen_grey && !seen_colour)
        note_options(a, NAMES("colours", "seed", "space"), "on grey images");
}

static void note_passes(const Arguments *a)
{
    CofOptions options = arguments_options(a, 1, 1);
    bool filters = subcommand_row(a->subcommand)->groups & 1u << COF_OPTION_GROUP_FILTER;
    bool several_by_default = a->subcommand == CMD_FOCUS || option_set(a, OPT_CONVERGENCE);
    if (filters && (options.iterations == 1 || (options.iterations == 0 && !several_by_default)))
        note_options(a, NAMES("tolerance", "update"), "on a single pass");
    if (filters && options.method == COF_METHOD_EXACT)
        note_options(a, NAMES("accuracy"), "without --method fast");
}

/* Options of spreading, and those of learning where nothing else is learned. */
static void note_select_method(const Arguments *a)
{
    bool selects = a->n_strokes > 0 || a->n_scribbles > 0 || a->correct;
    if (!selects || a->options.select_method == COF_SELECT_SPREAD)
        return;
    const char *reason = "without --select-method spread";
    note_options(a, NAMES("spread_window", "spread_iterations", "threshold"), reason);
    if (a->subcommand == CMD_SELECT)
        note_options(a,
                     NAMES("window", "colours", "levels", "downscale", "sigma", "softness",
                           "normalise", "separation"),
                     reason);
}

/* Options of scribbles, with a mask, and of smoothing, with another background. */
static void note_selection(const Arguments *a)
{
    if (a->subcommand & PAINTS && a->mask) {
        note_options(
            a,
            NAMES("select_method", "min_area", "spread_window", "spread_iterations", "threshold"),
            "with --mask");
        if (option_set(a, OPT_DILATE))
            print_no_effect("dilate", "with --mask");
    }
    if (a->subcommand == CMD_FOCUS)
        note_options(a, NAMES("palettes"), "with focus");
    if (a->subcommand == CMD_SELECT)
        note_options(a, NAMES("palettes"), "with select");
    if (a->labels)
        note_options(a, NAMES("palettes"), "with --labels");
    if (a->matrix)
        note_options(a, NAMES("palettes", "separation"), "with --matrix");
    if (a->subcommand == CMD_FOCUS &&
        background_effect_parse(a->background).kind != BACKGROUND_SMOOTH)
        note_options(a,
                     NAMES("preset", "size", "iterations", "update", "tolerance", "method",
                           "accuracy", "downscale", "filter_downscale", "refine", "fidelity",
                           "strength", "detail"),
                     "with this --background");
}

/* Presets set sigma for their window. */
static void note_preset_sigma(const Arguments *a)
{
    if (!arguments_value(a, "preset"))
        return;
    if (arguments_value(a, "window") && !arguments_value(a, "sigma"))
        print_note(NULL, "--window has little effect with --preset unless --sigma is given");
}

void option_notes_print(const Arguments *a)
{
    note_kinds(a);
    note_preset_sigma(a);
    note_passes(a);
    note_selection(a);
    note_select_method(a);
    if (a->subcommand == CMD_LEARN && a->device && option_set(a, OPT_EXACT_SOFT))
        print_no_effect("device", "with --exact-soft");
    if (option_set(a, OPT_RECURSIVE) && !a->found)
        print_no_effect("recursive", "without a folder");
}
