/* SPDX-License-Identifier: BSD-2-Clause */
/* Selecting, focus and recolouring, for JavaScript. */
#ifndef COF_WEB_SELECT_H
#define COF_WEB_SELECT_H

#include "web_session.h"
#include "web_views.h"

CofStatus web_select(const WebImage *image, const WebImage *foreground, const WebImage *background,
                     const WebImage *mask) WEB_EXPORT(select);
CofStatus web_mask_stroke(const WebImage *mask, const double *points, size_t n, double radius,
                          int value) WEB_EXPORT(mask_stroke);

/* NULL on failure. The image must stay in place. */
CofSelection *web_selection_new(const WebImage *image) WEB_EXPORT(selection_new);
CofStatus web_selection_stroke(CofSelection *selection, int mark, const double *points, size_t n,
                               double radius) WEB_EXPORT(selection_stroke);
CofStatus web_selection_pixels(CofSelection *selection, int mark, const WebImage *pixels)
    WEB_EXPORT(selection_pixels);
CofStatus web_selection_set_mask(CofSelection *selection, const WebImage *mask)
    WEB_EXPORT(selection_set_mask);

/* Makes the mask of all marks, or corrects the last one. `mask` may be NULL. */
CofStatus web_selection_update(CofSelection *selection, int correct, const WebImage *mask)
    WEB_EXPORT(selection_update);
void web_selection_free(CofSelection *selection) WEB_EXPORT(selection_free);

CofStatus web_mask_prior(const WebImage *mask, const WebImage *prior) WEB_EXPORT(mask_prior);
CofStatus web_matte(const CofModel *foreground, const CofModel *background, const WebImage *prior,
                    const WebImage *image, const WebImage *matte) WEB_EXPORT(matte);
CofStatus web_focus(const CofModel *foreground, const CofModel *background, const WebImage *prior,
                    const WebImage *in, const WebImage *out) WEB_EXPORT(focus);
CofStatus web_blend(const WebImage *matte, const WebImage *in, const WebImage *other,
                    const WebImage *out) WEB_EXPORT(blend);
CofStatus web_tint(const WebImage *in, double red, double green, double blue, const WebImage *out)
    WEB_EXPORT(tint);
CofStatus web_recolour(const WebImage *in, const WebImage *mask, double red, double green,
                       double blue, const WebImage *out) WEB_EXPORT(recolour);

#endif
