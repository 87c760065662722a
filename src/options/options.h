/* SPDX-License-Identifier: BSD-2-Clause */
/* Defaults and ranges of CofOptions, from the option table; windows and sigmas of the filter. */
#ifndef COF_OPTIONS_OPTIONS_H
#define COF_OPTIONS_OPTIONS_H

#include "cof/cof.h"

/* Copies the caller's options (NULL: defaults) and checks them. Fields that the caller's struct is
 * too short for have their defaults. The execution fields (context, problem, report, progress) are
 * copied even if a check fails, unless they cannot be read; the reason is in *problem. */
CofStatus cofi_options_complete(const CofOptions *options, CofOptions *complete,
                                CofProblem *problem);

/* Fails unless the struct is initialised and has room for a field that ends at that byte. */
CofStatus cofi_options_check_size(const CofOptions *options, size_t end, CofProblem *problem);

/* The standard deviation of the learning Gaussian. */
double cofi_learning_sigma(const CofOptions *options, int window);

/* Window, factor, radius of refinement and standard deviation of the filter, for a model learned
 * with these, and for an image that is filtered with that factor. */
int cofi_filter_window(const CofOptions *options, int model_window);
int cofi_filter_downscale(const CofOptions *options, int model_downscale);
int cofi_refine_radius(const CofOptions *options, int downscale);
double cofi_filter_sigma(const CofOptions *options, int model_window, double model_sigma);

/* The standard deviation that makes a box window of the filter, unless one is given. */
double cofi_box_sigma(const CofOptions *options);

/* The share of what the filter removes that is added back. */
double cofi_detail(const CofOptions *options);

/* Leaves only smoothing: no residual correction, all of its strength, and no detail. For filters
 * that serve other purposes than the caller's, such as selecting, and for all but the last step. */
void cofi_options_only_smooth(CofOptions *options);

/* Does the caller's report have this field? */
#define COFI_REPORT_HAS(report, field) \
    ((report) && (report)->struct_size >= offsetof(CofReport, field) + sizeof((report)->field))

#endif
