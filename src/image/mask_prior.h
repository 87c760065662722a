/* SPDX-License-Identifier: BSD-2-Clause */
/* The prior probability of the foreground, from a mask. */
#ifndef COF_MASK_PRIOR_H
#define COF_MASK_PRIOR_H

#include "cof/cof.h"
#include "call/call.h"

/* Writes a complete grey F32 image as large as the mask. Worth one unit of progress. */
CofStatus cofi_mask_prior(CofiCall *call, const CofImage *mask, const CofImage *prior);

#endif
