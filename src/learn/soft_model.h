/* SPDX-License-Identifier: BSD-2-Clause */
/* Models of pixels that belong to several labels each. */
#ifndef COF_SOFT_MODEL_H
#define COF_SOFT_MODEL_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/roi.h"
#include "learn/model.h"
#include "learn/stats.h"

/* M from images, each pixel softly assigned; all complete. */
CofStatus cofi_model_from_pixels(CofModel **out, CofiCall *call, const CofStats *palette,
                                 const CofImage *images, const CofiRoi *roi, int n);

#endif
