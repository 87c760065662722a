/* SPDX-License-Identifier: BSD-2-Clause */
/* Defaults and ranges of CofOptions, and the sigmas that follow from a window. */
#ifndef COF_OPTIONS_H
#define COF_OPTIONS_H

#include "cof/cof.h"

#define COFI_MAX_THREADS 1024

/* Copies the caller's options (NULL: defaults), with defaults where the caller's struct is older
 * and shorter, and checks them. On COF_ERR_OPTION *problem says why, and complete->report is set
 * only if it can be written to. */
CofStatus cofi_options_complete(const CofOptions *options, CofOptions *complete,
                                const char **problem);

/* The std of the learning Gaussian. */
double cofi_learning_sigma(const CofOptions *options, int window);

/* The window and std of the filter for a model learned with that window and sigma. */
int cofi_filter_window(const CofOptions *options, int model_window);
double cofi_filter_sigma(const CofOptions *options, int model_window, double model_sigma);
double cofi_box_sigma(const CofOptions *options); /* of a window without a Gaussian, unless given */

#endif
