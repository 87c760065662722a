/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the options that select a part of the image, and what is done with it. */
#include "options/arguments_selection.h"

#include "options/arguments_options.h"
#include "options/background_effect.h"
#include "options/colour_names.h"
#include "ui/error_line.h"

static bool reject(const char *problem)
{
    print_usage_error("%s", problem);
    return false;
}

bool arguments_mark_object(const Arguments *a)
{
    return a->n_scribbles > 0 || a->n_strokes > 0;
}

bool arguments_mark_background(const Arguments *a)
{
    return a->n_background_scribbles > 0 || a->n_background_strokes > 0;
}

/* The first option because of which focus smooths without a model of the object. */
static const char *matte_option(const Arguments *a)
{
    static const char *const names[] = {"preset", "method", "update", "downscale"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (arguments_value(a, names[i]))
            return names[i];
    return "filter-downscale";
}

static bool check_correction(const Arguments *a)
{
    if (a->options.select_method == COF_SELECT_SPREAD)
        return reject("--correct cannot be combined with --select-method spread");
    return arguments_mark_object(a) || arguments_mark_background(a) ||
           reject("--correct needs a stroke or a scribble, of the object or of the background");
}

bool arguments_check_selection(const Arguments *a)
{
    double colour[3];
    if (a->subcommand == CMD_FOCUS && a->save_model && arguments_smooth_by_matte(a)) {
        print_usage_error("--%s cannot be combined with --save-model", matte_option(a));
        return false;
    }
    if (a->mask && (arguments_mark_object(a) || arguments_mark_background(a)))
        return reject("--mask cannot be combined with scribbles");
    if (a->background && !background_effect_check(a->background))
        return false;
    if (!(a->subcommand == CMD_SELECT || a->subcommand == CMD_FOCUS ||
          a->subcommand == CMD_RECOLOUR))
        return true;
    if (a->n_scribbles > 1 || a->n_background_scribbles > 1)
        return reject("an image can have one --scribble and one --background-scribble");
    if (a->correct)
        return check_correction(a);
    if (!a->mask && !arguments_mark_object(a))
        return reject(a->subcommand == CMD_SELECT ? "--scribble or --stroke is needed"
                                                  : "--scribble, --stroke or --mask is needed");
    if (a->subcommand == CMD_RECOLOUR && !a->colour)
        return reject("recolour needs --colour COLOUR");
    if (!a->colour || parse_colour(a->colour, colour))
        return true;
    print_usage_error("--colour must be a colour such as steelblue, #4682b4 or #48b, not '%s'",
                      a->colour);
    return false;
}
