/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets and variants: options that belong together. */
#include "options/presets.h"

#include <math.h>
#include <stddef.h>

#include "base/status.h"
#include "options/option_info.h"
#include "options/options.h"

/* The windows of presets are for a square image of this side, about that of the photographs they
 * were found on (docs/quality.md). */
#define REFERENCE_SIDE 400.0

/* The smallest values, which small images get. */
#define MIN_WINDOW 5
#define MIN_SIGMA 1.0

/* The radius of refinement, which grows with the image like the windows. */
#define REFINE 2

typedef struct Preset {
    int window, colours, palettes, iterations;
    double sigma, softness, separation;
    CofUpdate update;
} Preset;

static const Preset presets[] = {
    [COF_PRESET_SUBTLE] = {.window = 11,
                           .sigma = 1.7,
                           .colours = 128,
                           .palettes = 2,
                           .iterations = 2,
                           .softness = 0.5,
                           .separation = 0.25},
    [COF_PRESET_TEXTURE] = {.window = 25,
                            .sigma = 4.5,
                            .colours = 128,
                            .palettes = 2,
                            .iterations = 4,
                            .softness = 0.5,
                            .separation = 0.2},
    [COF_PRESET_CARTOON] = {.window = 9,
                            .sigma = 2.65,
                            .colours = 24,
                            .palettes = 1,
                            .iterations = 8,
                            .softness = 0.25,
                            .separation = 0.3,
                            .update = COF_UPDATE_LABELS},
    [COF_PRESET_FLAT] = {.window = 55,
                         .sigma = 8,
                         .colours = 32,
                         .palettes = 2,
                         .iterations = 12,
                         .softness = 0.25,
                         .separation = 0.4},
    /* Softer, so that a little noise does not decide which values are mixed. */
    [COF_PRESET_VIDEO] = {.window = 15,
                          .sigma = 2,
                          .colours = 32,
                          .palettes = 2,
                          .iterations = 2,
                          .softness = 0.4,
                          .separation = 0.11},
    [COF_PRESET_PORTRAIT] = {.window = 13,
                             .sigma = 2,
                             .colours = 128,
                             .palettes = 2,
                             .iterations = 3,
                             .softness = 0.5,
                             .separation = 0.22},
    /* Keeps apart what lettering and outlines are made of. */
    [COF_PRESET_DRAWING] = {.window = 27,
                            .sigma = 4.5,
                            .colours = 64,
                            .palettes = 1,
                            .iterations = 16,
                            .softness = 1,
                            .separation = 1},
};

/* What selections were tuned with. */
static const Preset selection_filters[COFI_SELECTION_FILTERS] = {
    {.window = 23,
     .sigma = 3.4,
     .colours = 96,
     .palettes = 2,
     .iterations = 6,
     .softness = 0.25,
     .separation = 0.12},
    {.window = 55,
     .sigma = 8,
     .colours = 32,
     .palettes = 2,
     .iterations = 12,
     .softness = 0.25,
     .separation = 0.25},
};

/* Does the struct, which may be that of an older header, have a field? */
#define HAS_FIELD(options, field) \
    ((options)->struct_size >= offsetof(CofOptions, field) + sizeof((options)->field))

static CofStatus check_initialised(const CofOptions *options, CofProblem *problem)
{
    if (!options)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "options",
                                     "a required argument is NULL");
    return cofi_options_check_size(options, offsetof(CofOptions, threads), problem);
}

static void set_variant(CofOptions *options, CofVariant variant)
{
    static const CofBorder borders[] = {
        [COF_VARIANT_PAPER] = COF_BORDER_CLIP,
        [COF_VARIANT_AUTHORS] = COF_BORDER_MIRROR,
        [COF_VARIANT_APP] = COF_BORDER_REFLECT101,
    };
    int is_paper = variant == COF_VARIANT_PAPER;
    options->variant = variant;
    options->sigma = options->filter_sigma = 0;
    options->softness = is_paper ? cof_option_find("softness")->default_value : 0;
    options->normalise = is_paper ? COF_NORMALISE_COUNTS : COF_NORMALISE_MARGINALS;
    options->border = borders[variant];
}

CofStatus cof_options_set_variant(CofOptions *options, CofVariant variant, CofProblem *problem)
{
    cofi_no_problem(problem);
    CofStatus status = check_initialised(options, problem);
    if (status != COF_OK)
        return status;
    const CofOptionInfo *info = cof_option_find("variant");
    if (!cofi_option_allows(info, (int)variant))
        return cofi_option_problem(problem, info->name, cofi_option_range(info));
    set_variant(options, variant);
    return COF_OK;
}

static int nearest_odd(double value)
{
    return 2 * (int)floor(value / 2) + 1;
}

static int clamp(double value, int low, int high)
{
    return value < low ? low : value > high ? high : (int)value;
}

/* Windows grow with the image and with `size`, up to twice their size or the largest; beyond that
 * the image is downscaled. */
static void set_preset(CofOptions *options, const Preset *preset, double size, int width,
                       int height)
{
    double scale = size * sqrt((double)width * height) / REFERENCE_SIDE;
    set_variant(options, COF_VARIANT_PAPER);
    int factor =
        clamp(fmax(scale, ceil(preset->window * scale / COF_MAX_WINDOW)), 1, COF_MAX_DOWNSCALE);
    options->downscale = options->filter_downscale = factor;
    double window = preset->window * scale / factor;
    options->window = window < COF_MAX_WINDOW
                          ? clamp(nearest_odd(window), MIN_WINDOW, COF_MAX_WINDOW)
                          : COF_MAX_WINDOW;
    options->colours = options->levels = preset->colours;
    options->palettes = preset->palettes;
    options->sigma =
        fmin(fmax(preset->sigma * scale / factor, MIN_SIGMA), cof_option_find("sigma")->maximum);
    options->filter_window = 0;
    options->softness = preset->softness;
    options->separation = preset->separation;
    options->iterations = preset->iterations;
    options->update = preset->update;
    options->tolerance = 0;
    options->method = COF_METHOD_FAST;
    options->accuracy = cof_option_find("accuracy")->default_value;
    options->fidelity = 0;
    if (HAS_FIELD(options, refine))
        options->refine = clamp(nearbyint(REFINE * scale / factor), REFINE, COF_MAX_REFINE);
}

CofStatus cof_options_set_preset(CofOptions *options, CofPreset preset, int width, int height,
                                 CofProblem *problem)
{
    cofi_no_problem(problem);
    CofStatus status = check_initialised(options, problem);
    if (status != COF_OK)
        return status;
    const CofOptionInfo *info = cof_option_find("preset");
    if (!cofi_option_allows(info, (int)preset))
        return cofi_option_problem(problem, info->name, cofi_option_range(info));
    if (width < 1 || height < 1)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, width < 1 ? "width" : "height",
                                     "a preset needs a width and height above 0");
    double size = HAS_FIELD(options, size) ? options->size : 1;
    info = cof_option_find("size");
    if (!cofi_option_allows(info, size))
        return cofi_option_problem(problem, info->name, cofi_option_range(info));
    set_preset(options, &presets[preset], size, width, height);
    return COF_OK;
}

void cofi_options_set_selection_filter(CofOptions *options, int filter, int width, int height)
{
    set_preset(options, &selection_filters[filter], 1, width, height);
    int n = options->downscale;
    options->sigma *= n;
    options->window = clamp(nearest_odd(options->window * n), MIN_WINDOW, COF_MAX_WINDOW);
    options->downscale = options->filter_downscale = 1;
    options->refine = 1;
}
