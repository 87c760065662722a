/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of two models: of the foreground and of the background. */
#ifndef COF_MODEL_PAIR_H
#define COF_MODEL_PAIR_H

#include <stdbool.h>

#include "cof/cof.h"

/* Each complains about the file if it fails. */

bool model_pair_save(const CofModel *foreground, const CofModel *background, const char *name);
bool model_pair_load(CofModel **foreground, CofModel **background, const char *name);

/* Does a file begin as one of those does? */
bool model_pair_is(const char *name);

#endif
