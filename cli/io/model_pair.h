/* SPDX-License-Identifier: BSD-2-Clause */
/* Files with two models: of the foreground and of the background. */
#ifndef COF_MODEL_PAIR_H
#define COF_MODEL_PAIR_H

#include <stdbool.h>

#include "cof/cof.h"

/* Both print an error about the file on failure. */

bool model_pair_save(const CofModel *foreground, const CofModel *background, const char *name);
bool model_pair_load(CofModel **foreground, CofModel **background, const char *name);

/* Whether a file begins with the magic bytes of a pair. */
bool model_pair_is(const char *name);

#endif
