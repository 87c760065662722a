/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of images that keep their labels, for JavaScript. */
#include "web_part.h"

CofPart *web_part_new(const WebImage *image)
{
    CofImage view;
    CofPart *part = NULL;
    return cof_part_new(&part, web_view(image, &view), &web_session.problem) == COF_OK ? part
                                                                                       : NULL;
}

void web_part_free(CofPart *part)
{
    cof_part_free(&part);
}

CofStatus web_stats_add_part(CofStats *stats, CofPart *part, const WebRoi *words)
{
    CofImage mask;
    CofRoi roi;
    const CofOptions *options = web_call_options();
    return options ? cof_stats_add_part(stats, part, web_roi(words, &roi, &mask), options)
                   : web_session.problem.status;
}

CofStatus web_filter_part(const CofModel *model, const CofPart *part, const WebImage *out)
{
    CofImage out_view;
    const CofOptions *options = web_call_options();
    return options ? cof_filter_part(model, part, web_view(out, &out_view), options)
                   : web_session.problem.status;
}
