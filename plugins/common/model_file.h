/* SPDX-License-Identifier: BSD-2-Clause */
/* A model from a file, for programs that take its name. */
#ifndef COF_MODEL_FILE_H
#define COF_MODEL_FILE_H

#include "cof/cof.h"

#define MODEL_FILE_PROBLEM 256

/* Reads a model, or makes one of statistics. NULL with `problem`, a few words, if that fails. */
CofModel *model_file_load(const char *name, const CofOptions *options,
                          char problem[MODEL_FILE_PROBLEM]);

#endif
