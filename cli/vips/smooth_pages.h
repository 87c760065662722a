/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters the pages of an image one by one, so that no window reaches from page to page. */
#ifndef COF_SMOOTH_PAGES_H
#define COF_SMOOTH_PAGES_H

#include "vips/vips_call.h"

/* Do all pages have one model, which is learned first? */
bool pages_share_model(const Arguments *arguments, VipsImage *in);

/* Learns one model from the images of --learn-from or --learn-pages, or from all pages of the guide
 * or the input. Returns NULL with libvips' error set on failure. */
VipsBlob *learn_from_pages(const Arguments *arguments, const OptionImages *images, VipsImage *in);

/* Like call_smooth(), for each page. */
bool smooth_pages(const Arguments *arguments, const OptionImages *images, VipsBlob *model,
                  VipsImage *in, VipsImage **out);

/* The report of an image that smooth_pages() made, as JSON for g_free(): an array with one report
 * per page if there are several. */
char *smooth_pages_report(VipsImage *out);

#endif
