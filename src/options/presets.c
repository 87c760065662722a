/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets and variants: options that belong together. */
#include <math.h>
#include <stddef.h>

#include "base/status.h"
#include "cof/cof.h"
#include "options/option_info.h"
#include "options/options.h"

/* The windows of presets are for a square image of this side, about that of the photographs they
 * were found on (docs/quality.md). */
#define REFERENCE_SIDE 400.0

#define MIN_WINDOW 5

/* At most 32 colours, so that the fast method can run the last pass over a large image. */
typedef struct Preset {
    int window, colours, iterations, fidelity;
    double softness;
    CofUpdate update;
} Preset;

static const Preset presets[] = {
    [COF_PRESET_SUBTLE] = {.window = 9, .colours = 32, .iterations = 2, .softness = 0.5},
    [COF_PRESET_TEXTURE] = {.window = 21, .colours = 32, .iterations = 8, .softness = 0.5},
    [COF_PRESET_CARTOON] = {.window = 9,
                            .colours = 16,
                            .iterations = 8,
                            .update = COF_UPDATE_LABELS},
};

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

/* Windows grow with the image, up to the largest; beyond that the image is downscaled. */
static void set_preset(CofOptions *options, const Preset *preset, double scale)
{
    set_variant(options, COF_VARIANT_PAPER);
    options->downscale = options->filter_downscale = clamp(scale, 1, COF_MAX_DOWNSCALE);
    double window = preset->window * scale / options->downscale;
    options->window = window < COF_MAX_WINDOW
                          ? clamp(nearest_odd(window), MIN_WINDOW, COF_MAX_WINDOW)
                          : COF_MAX_WINDOW;
    options->colours = options->levels = preset->colours;
    options->filter_window = 0;
    options->softness = preset->softness;
    options->iterations = preset->iterations;
    options->update = preset->update;
    options->tolerance = 0;
    options->method = COF_METHOD_FAST;
    options->accuracy = cof_option_find("accuracy")->default_value;
    options->fidelity = preset->fidelity;
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
    set_preset(options, &presets[preset], sqrt((double)width * height) / REFERENCE_SIDE);
    return COF_OK;
}
