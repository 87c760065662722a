/* SPDX-License-Identifier: BSD-2-Clause */
/* Defaults and ranges of CofOptions, from the option table; windows and sigmas of the filter. */
#include "options/options.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/status.h"
#include "options/option_info.h"

/* The structs may grow at their end; those of the first release end here. */
#define MIN_OPTIONS_SIZE ((uint32_t)(offsetof(CofOptions, user) + sizeof(void *)))
#define MIN_REPORT_SIZE ((uint32_t)(offsetof(CofReport, fast_cell) + sizeof(int)))

/* No struct will ever be larger; a larger size is that of a struct that was not initialised. */
#define MAX_STRUCT_SIZE 4096u

#define BOX_SIGMA 1e6 /* so wide that the Gaussian is flat in any window */

static bool has_field(const CofOptionInfo *info)
{
    return !(info->flags & COF_OPTION_FLAG_NO_FIELD);
}

void cof_options_init_sized(CofOptions *options, uint32_t struct_size)
{
    if (!options || struct_size > MAX_STRUCT_SIZE)
        return;
    CofOptions defaults;
    memset(&defaults, 0, sizeof defaults);
    defaults.struct_size = struct_size;
    for (int i = 0; i < cof_option_count(); i++)
        if (has_field(cof_option_info(i)))
            cofi_option_put(&defaults, cof_option_info(i), cof_option_info(i)->default_value);
    memset(options, 0, struct_size);
    memcpy(options, &defaults, struct_size < sizeof defaults ? struct_size : sizeof defaults);
}

static CofStatus check_ranges(const CofOptions *options, CofProblem *problem)
{
    for (int i = 0; i < cof_option_count(); i++) {
        const CofOptionInfo *info = cof_option_info(i);
        if (has_field(info) && !cofi_option_allows(info, cofi_option_get(options, info)))
            return cofi_option_problem(problem, info->name, cofi_option_range(info));
    }
    if (!(options->low < options->high) && !(options->low == 0 && options->high == 0))
        return cofi_option_problem(problem, "low", "low must be below high, or both 0");
    return COF_OK;
}

/* Fields of a newer caller that this library does not know must be zero. */
static bool unknown_fields_are_zero(const CofOptions *options)
{
    const unsigned char *bytes = (const unsigned char *)options;
    for (uint32_t i = sizeof *options; i < options->struct_size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

CofStatus cofi_options_check_size(const CofOptions *options, size_t end, CofProblem *problem)
{
    if (options->struct_size >= end && options->struct_size <= MAX_STRUCT_SIZE)
        return COF_OK;
    return cofi_problem(problem, COF_ERR_OPTION,
                        "options must be initialised with cof_options_init()");
}

CofStatus cofi_options_complete(const CofOptions *options, CofOptions *complete,
                                CofProblem *problem)
{
    cof_options_init(complete);
    if (!options)
        return COF_OK;
    CofStatus status = cofi_options_check_size(options, MIN_OPTIONS_SIZE, problem);
    if (status != COF_OK)
        return status;
    memcpy(complete, options,
           options->struct_size < sizeof *complete ? options->struct_size : sizeof *complete);
    complete->struct_size = sizeof *complete;
    if (complete->report && (complete->report->struct_size < MIN_REPORT_SIZE ||
                             complete->report->struct_size > MAX_STRUCT_SIZE)) {
        complete->report = NULL;
        return cofi_problem(problem, COF_ERR_OPTION,
                            "report->struct_size must be sizeof(CofReport)");
    }
    if (!unknown_fields_are_zero(options))
        return cofi_problem(problem, COF_ERR_OPTION,
                            "an option is set that this version of the library does not have");
    return check_ranges(complete, problem);
}

CofStatus cof_options_check(const CofOptions *options, CofProblem *problem)
{
    CofOptions complete;
    cofi_no_problem(problem);
    return cofi_options_complete(options, &complete, problem);
}

/* The paper prints sigma^2 = 2 sqrt(w) + 1; its authors' code uses that value as sigma. */
static double wide_sigma(int window)
{
    return 2 * sqrt(window) + 1;
}

double cofi_learning_sigma(const CofOptions *options, int window)
{
    if (options->sigma > 0)
        return options->sigma;
    switch (options->variant) {
    case COF_VARIANT_AUTHORS:
        return sqrt(window);
    case COF_VARIANT_APP:
        return wide_sigma(window);
    case COF_VARIANT_PAPER:
        break;
    }
    return sqrt(wide_sigma(window));
}

int cofi_filter_window(const CofOptions *options, int model_window)
{
    return options->filter_window > 0 ? options->filter_window : model_window;
}

int cofi_filter_downscale(const CofOptions *options, int model_downscale)
{
    return options->filter_downscale > 0 ? options->filter_downscale : model_downscale;
}

int cofi_refine_radius(const CofOptions *options, int downscale)
{
    enum { USUAL = 2 }; /* what is downscaled needs it */
    return options->refine > 0 || downscale == 1 ? options->refine : USUAL;
}

double cofi_box_sigma(const CofOptions *options)
{
    return options->filter_sigma > 0 ? options->filter_sigma : BOX_SIGMA;
}

double cofi_filter_sigma(const CofOptions *options, int model_window, double model_sigma)
{
    int window = cofi_filter_window(options, model_window);
    if (options->filter_sigma > 0)
        return options->filter_sigma;
    if (options->variant != COF_VARIANT_PAPER)
        return wide_sigma(window);
    return options->filter_window > 0 ? sqrt(wide_sigma(window)) : model_sigma;
}

double cofi_detail(const CofOptions *options)
{
    return 1 - options->strength * (1 - options->detail);
}

void cofi_options_only_smooth(CofOptions *options)
{
    options->fidelity = 0;
    options->refine = 0;
    options->strength = 1;
    options->detail = 0;
}
