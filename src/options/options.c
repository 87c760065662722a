/* SPDX-License-Identifier: BSD-2-Clause */
/* Defaults and ranges of CofOptions, and the sigmas that follow from a window. */
#include "options/options.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The structs may grow at their ends; nobody ever had shorter ones than these. */
#define SHORTEST_OPTIONS ((uint32_t)(offsetof(CofOptions, user) + sizeof(void *)))
#define SHORTEST_REPORT ((uint32_t)(offsetof(CofReport, problem) + sizeof(char *)))

static const double smallest_sigma = 1e-3, largest_sigma = 1e6;

void cof_options_init_sized(CofOptions *options, uint32_t struct_size)
{
    if (!options)
        return;
    CofOptions defaults = {
        .struct_size = struct_size,
        .colours = 32,
        .levels = 256,
        .window = 15,
        .softness = 0.75,
        .iterations = 1,
        .accuracy = 45,
        .coarse = 1,
    };
    memset(options, 0, struct_size);
    memcpy(options, &defaults, struct_size < sizeof defaults ? struct_size : sizeof defaults);
}

void cof_options_preset(CofOptions *options, CofPreset preset)
{
    if (!options)
        return;
    bool paper = preset == COF_PRESET_PAPER;
    options->preset = preset;
    options->sigma = options->filter_sigma = 0;
    options->softness = paper ? 0.75 : 0;
    options->normalise = paper ? COF_NORMALISE_COUNTS : COF_NORMALISE_MARGINALS;
    options->border = paper                          ? COF_BORDER_CLIP
                      : preset == COF_PRESET_AUTHORS ? COF_BORDER_MIRROR
                                                     : COF_BORDER_REFLECT101;
}

static bool between(double value, double smallest, double largest)
{
    return value >= smallest && value <= largest; /* false for NaN */
}

static bool is_odd(int value)
{
    return value % 2 != 0;
}

static bool is_sigma(double value)
{
    return value == 0 || between(value, smallest_sigma, largest_sigma);
}

static const char *learning_problem(const CofOptions *o)
{
    if (!between(o->colours, 1, COF_MAX_COLOURS))
        return "colours must be 1 to 256";
    if (!between(o->levels, 2, 256))
        return "levels must be 2 to 256";
    if (!between(o->low, -(double)FLT_MAX, (double)FLT_MAX) ||
        !between(o->high, -(double)FLT_MAX, (double)FLT_MAX))
        return "low and high must be within the range of a float";
    if (!(o->low < o->high) && !(o->low == 0 && o->high == 0))
        return "low must be below high (or both 0)";
    if (!between(o->window, 1, COF_MAX_WINDOW) || !is_odd(o->window))
        return "window must be an odd number from 1 to 63";
    if (!between(o->sampling, COF_SAMPLING_AUTO, COF_SAMPLING_ALL))
        return "sampling must be one of CofSampling";
    return NULL;
}

static const char *model_problem(const CofOptions *o)
{
    if (!between(o->preset, COF_PRESET_PAPER, COF_PRESET_APP))
        return "preset must be one of CofPreset";
    if (!is_sigma(o->sigma))
        return "sigma must be 0 or 0.001 to 1000000";
    if (!between(o->softness, 0, 16))
        return "softness must be 0 to 16";
    if (!between(o->normalise, COF_NORMALISE_COUNTS, COF_NORMALISE_MARGINALS))
        return "normalise must be one of CofNormalise";
    return NULL;
}

static const char *filter_problem(const CofOptions *o)
{
    if (o->filter_window != 0 &&
        (!between(o->filter_window, 1, COF_MAX_FILTER_WINDOW) || !is_odd(o->filter_window)))
        return "filter_window must be 0 or an odd number from 1 to 255";
    if (!is_sigma(o->filter_sigma))
        return "filter_sigma must be 0 or 0.001 to 1000000";
    if (!between(o->border, COF_BORDER_CLIP, COF_BORDER_REFLECT101))
        return "border must be one of CofBorder";
    if (!between(o->space, COF_SPACE_LAB, COF_SPACE_AS_IS))
        return "space must be one of CofSpace";
    if (!between(o->iterations, 1, COF_MAX_ITERATIONS))
        return "iterations must be 1 to 1000";
    if (!between(o->repeat, COF_REPEAT_FROZEN, COF_REPEAT_ROLLING))
        return "repeat must be one of CofRepeat";
    if (!between(o->until, 0, 1e12))
        return "until must be 0 to 1e12";
    if (!between(o->method, COF_METHOD_EXACT, COF_METHOD_AUTO))
        return "method must be one of CofMethod";
    if (!between(o->accuracy, 30, 70))
        return "accuracy must be 30 to 70";
    if (!between(o->evidence, COF_EVIDENCE_PAIRS, COF_EVIDENCE_CHANCE))
        return "evidence must be one of CofEvidence";
    if (!between(o->coarse, 1, COF_MAX_COARSE))
        return "coarse must be 1 to 64";
    return NULL;
}

static const char *running_problem(const CofOptions *o)
{
    if (!between(o->threads, 0, COFI_MAX_THREADS))
        return "threads must be 0 to 1024";
    if (o->report && o->report->struct_size < SHORTEST_REPORT)
        return "report->struct_size must be sizeof(CofReport)";
    return NULL;
}

static const char *first_problem(const CofOptions *o)
{
    const char *problem = running_problem(o);
    if (!problem)
        problem = learning_problem(o);
    if (!problem)
        problem = model_problem(o);
    if (!problem)
        problem = filter_problem(o);
    return problem;
}

/* A newer caller's fields that this library does not know must be off. */
static bool knows_all_fields(const CofOptions *options)
{
    const unsigned char *bytes = (const unsigned char *)options;
    for (uint32_t i = sizeof *options; i < options->struct_size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

CofStatus cofi_options_complete(const CofOptions *options, CofOptions *complete,
                                const char **problem)
{
    cof_options_init(complete);
    if (!options)
        return COF_OK;
    if (options->struct_size < SHORTEST_OPTIONS) {
        *problem = "options must be filled by cof_options_init() first";
        return COF_ERR_OPTION;
    }
    if (!knows_all_fields(options)) {
        *problem = "an option is set that this version of the library does not know";
        return COF_ERR_OPTION;
    }
    memcpy(complete, options,
           options->struct_size < sizeof *complete ? options->struct_size : sizeof *complete);
    complete->struct_size = sizeof *complete;
    *problem = first_problem(complete);
    if (!*problem)
        return COF_OK;
    if (complete->report && complete->report->struct_size < SHORTEST_REPORT)
        complete->report = NULL;
    return COF_ERR_OPTION;
}

CofStatus cof_options_check(const CofOptions *options, const char **problem)
{
    CofOptions complete;
    const char *found = NULL;
    CofStatus status = cofi_options_complete(options, &complete, &found);
    if (status != COF_OK && problem)
        *problem = found;
    return status;
}

/* The paper prints sigma^2 = 2 sqrt(w) + 1; its authors' code takes that for sigma itself. */
static double wide_sigma(int window)
{
    return 2 * sqrt(window) + 1;
}

double cofi_learning_sigma(const CofOptions *options, int window)
{
    if (options->sigma > 0)
        return options->sigma;
    switch (options->preset) {
    case COF_PRESET_AUTHORS:
        return sqrt(window);
    case COF_PRESET_APP:
        return wide_sigma(window);
    default:
        return sqrt(wide_sigma(window));
    }
}

int cofi_filter_window(const CofOptions *options, int model_window)
{
    return options->filter_window > 0 ? options->filter_window : model_window;
}

double cofi_box_sigma(const CofOptions *options)
{
    return options->filter_sigma > 0 ? options->filter_sigma : largest_sigma;
}

double cofi_filter_sigma(const CofOptions *options, int model_window, double model_sigma)
{
    int window = cofi_filter_window(options, model_window);
    if (options->filter_sigma > 0)
        return options->filter_sigma;
    if (options->preset != COF_PRESET_PAPER)
        return wide_sigma(window);
    return options->filter_window > 0 ? sqrt(wide_sigma(window)) : model_sigma;
}
