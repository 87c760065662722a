/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics and models as bytes; docs/format.md describes the format. */
#ifndef COF_SERIALISE_H
#define COF_SERIALISE_H

#include "cof/cof.h"
#include "learn/model.h"
#include "learn/stats.h"

/* Each allocates `bytes`, which are freed with cofi_free(). */
CofStatus cofi_save_stats(const CofStats *stats, void **bytes, size_t *size);
CofStatus cofi_save_model(const CofModel *model, void **bytes, size_t *size);
CofStatus cofi_save_pair(const CofModel *foreground, const CofModel *background, void **bytes,
                         size_t *size);

#endif
