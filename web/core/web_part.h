/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of images that keep their labels, for JavaScript. */
#ifndef COF_WEB_PART_H
#define COF_WEB_PART_H

#include "web_session.h"
#include "web_views.h"

/* The pixels must stay in place; NULL on failure. */
CofPart *web_part_new(const WebImage *image) WEB_EXPORT(part_new);
void web_part_free(CofPart *part) WEB_EXPORT(part_free);
CofStatus web_stats_add_part(CofStats *stats, CofPart *part, const WebRoi *roi)
    WEB_EXPORT(stats_add_part);
CofStatus web_filter_part(const CofModel *model, const CofPart *part, const WebImage *out)
    WEB_EXPORT(filter_part);

#endif
