/* SPDX-License-Identifier: BSD-2-Clause */
/* Filtering, for JavaScript. Images and masks that may be NULL are as in cof.h. */
#ifndef COF_WEB_FILTER_H
#define COF_WEB_FILTER_H

#include "web_session.h"
#include "web_views.h"

CofStatus web_smooth(const WebImage *in, const WebRoi *roi, const WebImage *out) WEB_EXPORT(smooth);
CofStatus web_filter(const CofModel *model, const WebImage *guide, const WebImage *in,
                     const WebImage *out) WEB_EXPORT(filter);
/* With labels of the model's palette, of which there is one. */
CofStatus web_filter_labels(const CofModel *model, const WebImage *labels, const WebImage *in,
                            const WebImage *out) WEB_EXPORT(filter_labels);
/* A negative number is a CofStatus. */
int web_filter_margin(const CofModel *model) WEB_EXPORT(filter_margin);
/* The same for a model that is yet to be learned with the session's options, without a downscale
 * factor. */
int web_smooth_margin(void) WEB_EXPORT(smooth_margin);

CofStatus web_downscale(const WebImage *in, int factor, const WebImage *out, uint8_t *valid)
    WEB_EXPORT(downscale);
CofCoarse *web_coarse_new_filtered(const CofModel *model, const WebImage *small,
                                   const WebImage *filtered) WEB_EXPORT(coarse_new_filtered);
CofStatus web_coarse_filter(const CofCoarse *coarse, const WebImage *in, const WebImage *out)
    WEB_EXPORT(coarse_filter);
void web_coarse_free(CofCoarse *coarse) WEB_EXPORT(coarse_free);

/* Writes the weights by distance along a line through a filter window of `side` pixels: side
 * numbers whose sum is 1. The window and sigma of learning are those of the session's options. */
CofStatus web_window_weights(int side, float *weights) WEB_EXPORT(window_weights);

#endif
