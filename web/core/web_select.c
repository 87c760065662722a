/* SPDX-License-Identifier: BSD-2-Clause */
/* Selecting, focus and recolouring, for JavaScript. */
#include "web_select.h"

CofStatus web_select(const WebImage *image, const WebImage *foreground, const WebImage *background,
                     const WebImage *mask)
{
    CofImage views[4];
    const CofOptions *options = web_call_options();
    return options ? cof_select(web_view(image, &views[0]), web_view(foreground, &views[1]),
                                web_view(background, &views[2]), web_view(mask, &views[3]), options)
                   : web_session.problem.status;
}

CofStatus web_mask_stroke(const WebImage *mask, const double *points, size_t n, double radius,
                          int value)
{
    CofImage view;
    const CofOptions *options = web_call_options();
    return options ? cof_mask_stroke(web_view(mask, &view), points, n, radius, value, options)
                   : web_session.problem.status;
}

CofSelection *web_selection_new(const WebImage *image)
{
    CofImage view;
    CofSelection *selection = NULL;
    const CofOptions *options = web_call_options();
    CofStatus status = options ? cof_selection_new(&selection, web_view(image, &view), options)
                               : web_session.problem.status;
    return status == COF_OK ? selection : NULL;
}

CofStatus web_selection_stroke(CofSelection *selection, int mark, const double *points, size_t n,
                               double radius)
{
    const CofOptions *options = web_call_options();
    return options
               ? cof_selection_add_stroke(selection, (CofStroke)mark, points, n, radius, options)
               : web_session.problem.status;
}

CofStatus web_selection_pixels(CofSelection *selection, int mark, const WebImage *pixels)
{
    CofImage view;
    const CofOptions *options = web_call_options();
    return options ? cof_selection_add_pixels(selection, (CofStroke)mark, web_view(pixels, &view),
                                              options)
                   : web_session.problem.status;
}

CofStatus web_selection_set_mask(CofSelection *selection, const WebImage *mask)
{
    CofImage view;
    const CofOptions *options = web_call_options();
    return options ? cof_selection_set_mask(selection, web_view(mask, &view), options)
                   : web_session.problem.status;
}

CofStatus web_selection_update(CofSelection *selection, int correct, const WebImage *mask)
{
    CofImage view;
    const CofOptions *options = web_call_options();
    if (!options)
        return web_session.problem.status;
    return correct ? cof_selection_correct(selection, web_view(mask, &view), options)
                   : cof_selection_update(selection, web_view(mask, &view), options);
}

void web_selection_free(CofSelection *selection)
{
    cof_selection_free(&selection);
}

CofStatus web_mask_prior(const WebImage *mask, const WebImage *prior)
{
    CofImage mask_view, view;
    const CofOptions *options = web_call_options();
    return options ? cof_mask_prior(web_view(mask, &mask_view), web_view(prior, &view), options)
                   : web_session.problem.status;
}

CofStatus web_matte(const CofModel *foreground, const CofModel *background, const WebImage *prior,
                    const WebImage *image, const WebImage *matte)
{
    CofImage views[3];
    const CofOptions *options = web_call_options();
    return options ? cof_matte(foreground, background, web_view(prior, &views[0]),
                               web_view(image, &views[1]), web_view(matte, &views[2]), options)
                   : web_session.problem.status;
}

CofStatus web_focus(const CofModel *foreground, const CofModel *background, const WebImage *prior,
                    const WebImage *in, const WebImage *out)
{
    CofImage views[3];
    const CofOptions *options = web_call_options();
    return options ? cof_focus(foreground, background, web_view(prior, &views[0]), NULL,
                               web_view(in, &views[1]), web_view(out, &views[2]), options)
                   : web_session.problem.status;
}

CofStatus web_blend(const WebImage *matte, const WebImage *in, const WebImage *other,
                    const WebImage *out)
{
    CofImage views[4];
    const CofOptions *options = web_call_options();
    return options ? cof_blend(web_view(matte, &views[0]), web_view(in, &views[1]),
                               web_view(other, &views[2]), web_view(out, &views[3]), options)
                   : web_session.problem.status;
}

CofStatus web_tint(const WebImage *in, double red, double green, double blue, const WebImage *out)
{
    CofImage in_view, out_view;
    const double colour[3] = {red, green, blue};
    const CofOptions *options = web_call_options();
    return options ? cof_tint(web_view(in, &in_view), colour, 0, web_view(out, &out_view), options)
                   : web_session.problem.status;
}

CofStatus web_recolour(const WebImage *in, const WebImage *mask, double red, double green,
                       double blue, const WebImage *out)
{
    CofImage views[3];
    const double colour[3] = {red, green, blue};
    const CofOptions *options = web_call_options();
    return options ? cof_recolour(web_view(in, &views[0]), web_view(mask, &views[1]), colour,
                                  web_view(out, &views[2]), NULL, options)
                   : web_session.problem.status;
}
