/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics that follow a film. */
#ifndef COF_FOLLOWING_H
#define COF_FOLLOWING_H

#include "cof/cof.h"

/* Adds a frame: in what was counted it counts `rate`, 0..1, and what was before the rest. The
 * palette stays until a cut, after which all is learned anew, and so it is if *stats is NULL. On
 * failure *stats is what it was, or NULL. */
CofStatus following_add(CofStats **stats, const CofImage *frame, double rate,
                        const CofOptions *options);

#endif
