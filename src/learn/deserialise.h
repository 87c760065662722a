/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics and models from bytes, which are not trusted; docs/format.md describes the format. */
#ifndef COF_DESERIALISE_H
#define COF_DESERIALISE_H

#include "cof/cof.h"
#include "learn/model.h"
#include "learn/stats.h"

/* Checks the header, not the checksum. */
CofStatus cofi_file_kind(const void *bytes, size_t size, CofFileKind *kind);

/* COF_ERR_MISMATCH if the file is of another kind. */
CofStatus cofi_load_stats(CofStats **stats, const void *bytes, size_t size);
CofStatus cofi_load_model(CofModel **model, const void *bytes, size_t size);
CofStatus cofi_load_pair(CofModel **foreground, CofModel **background, const void *bytes,
                         size_t size);

#endif
