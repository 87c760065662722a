/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a model from a file given by name. */
#ifndef COF_MODEL_FILE_H
#define COF_MODEL_FILE_H

#include "cof/cof.h"

#define MODEL_FILE_PROBLEM 256

/* Reads a model, or reads statistics and makes a model of them. On failure returns NULL and
 * writes the reason to `problem`. */
CofModel *model_file_load(const char *name, const CofOptions *options,
                          char problem[MODEL_FILE_PROBLEM]);

#endif
