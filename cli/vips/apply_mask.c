/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the filtered image only where a mask says. */
#include "vips/apply_mask.h"

/* Colours become their lightness; alpha is ignored. */
static int to_grey(VipsImage *mask, VipsImage **grey)
{
    if (mask->Bands >= 3)
        return vips_colourspace(mask, grey, VIPS_INTERPRETATION_B_W, NULL);
    return vips_extract_band(mask, grey, 0, NULL);
}

/* Integers are shifted to 8 bits; the white of floats is 1. */
static int to_bytes(VipsImage *grey, VipsImage **bytes)
{
    VipsImage *scaled = NULL;
    if (!vips_band_format_isfloat(grey->BandFmt))
        return vips_cast(grey, bytes, VIPS_FORMAT_UCHAR, "shift", TRUE, NULL);
    int status = vips_linear1(grey, &scaled, 255, 0.5, NULL);
    if (status == 0)
        status = vips_cast(scaled, bytes, VIPS_FORMAT_UCHAR, NULL);
    VIPS_UNREF(scaled);
    return status;
}

bool apply_mask(VipsImage *mask, VipsImage *before, VipsImage *after, VipsImage **out)
{
    VipsImage *grey = NULL, *first = NULL, *bytes = NULL;
    bool ok = to_grey(mask, &grey) == 0 && vips_extract_band(grey, &first, 0, NULL) == 0 &&
              to_bytes(first, &bytes) == 0 &&
              vips_ifthenelse(bytes, after, before, out, "blend", TRUE, NULL) == 0;
    VIPS_UNREF(grey);
    VIPS_UNREF(first);
    VIPS_UNREF(bytes);
    return ok;
}
