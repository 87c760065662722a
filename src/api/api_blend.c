/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions that blend, tint and recolour images. */
#include "cof/cof.h"

#include "api/checks.h"
#include "filter/recolour.h"
#include "image/blend.h"
#include "image/image.h"

/* Far above the chroma of any colour. */
#define MAX_REFERENCE_CHROMA 1000

/* What the functions were given, complete. */
typedef struct Painting {
    CofiCall *call;
    CofImage in, other, matte, mask, out;
} Painting;

static bool same_size(const CofImage *a, const CofImage *b)
{
    return a->width == b->width && a->height == b->height && cofi_same_place(a, b);
}

static CofStatus check_blend(Painting *p, const CofImage *matte, const CofImage *in,
                             const CofImage *other, const CofImage *out)
{
    CofStatus status = cofi_check_in_out(p->call, in, out, &p->in, &p->out);
    if (status == COF_OK)
        status = cofi_check_image(p->call, other, "other", &p->other);
    if (status == COF_OK && (p->other.kind != p->in.kind || p->other.sample != p->in.sample ||
                             p->other.channels != p->in.channels))
        status = cofi_mismatch(p->call, "other", "the images differ in kind or sample type");
    if (status == COF_OK && !same_size(&p->other, &p->in))
        status = cofi_mismatch(p->call, "other", "the images differ in size or place");
    if (status == COF_OK)
        status = cofi_check_grey(p->call, matte, "matte", &p->matte);
    if (status == COF_OK && !same_size(&p->matte, &p->in))
        status = cofi_mismatch(p->call, "matte", "matte and input differ in size or place");
    if (status == COF_OK && !same_size(&p->out, &p->in))
        status = cofi_mismatch(p->call, "out", "input and output differ in size or place");
    return status;
}

CofStatus cof_blend(const CofImage *matte, const CofImage *in, const CofImage *other,
                    const CofImage *out, const CofOptions *options)
{
    CofiCall call;
    Painting p = {.call = &call};
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    status = check_blend(&p, matte, in, other, out);
    if (status == COF_OK)
        status = cofi_blend(&call, &p.matte, &p.in, &p.other, &p.out);
    return cofi_call_end(&call, status);
}

static bool is_colour(const double colour[3])
{
    for (int i = 0; i < 3; i++)
        if (!(colour[i] >= 0 && colour[i] <= 1))
            return false;
    return true;
}

static CofStatus check_colour(CofiCall *call, const double *colour)
{
    return colour && is_colour(colour)
               ? COF_OK
               : cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "colour",
                                         "the values of the colour must be 0 to 1");
}

/* An RGB image, and an output like it. */
static CofStatus check_painted(Painting *p, const CofImage *in, const CofImage *out)
{
    CofStatus status = cofi_check_in_out(p->call, in, out, &p->in, &p->out);
    if (status == COF_OK)
        status = cofi_check_rgb(p->call, &p->in, "in");
    if (status == COF_OK && !same_size(&p->in, &p->out))
        status = cofi_mismatch(p->call, "out", "input and output differ in size or place");
    return status;
}

CofStatus cof_tint(const CofImage *in, const double colour[3], double reference_chroma,
                   const CofImage *out, const CofOptions *options)
{
    CofiCall call;
    Painting p = {.call = &call};
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    status = check_colour(&call, colour);
    if (status == COF_OK && !(reference_chroma >= 0 && reference_chroma <= MAX_REFERENCE_CHROMA))
        status = cofi_call_fail_argument(&call, COF_ERR_ARGUMENT, "reference_chroma",
                                         "the reference chroma must be 0 to 1000");
    if (status == COF_OK)
        status = check_painted(&p, in, out);
    if (status == COF_OK)
        status = cofi_tint(&call, &p.in, colour, reference_chroma, &p.out);
    return cofi_call_end(&call, status);
}

CofStatus cof_mean_chroma(const CofImage *image, const CofImage *mask, double *chroma,
                          const CofOptions *options)
{
    CofiCall call;
    Painting p = {.call = &call};
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    status = cofi_check_pointer(&call, chroma, "chroma");
    if (status == COF_OK)
        status = cofi_check_image(&call, image, "image", &p.in);
    if (status == COF_OK)
        status = cofi_check_rgb(&call, &p.in, "image");
    if (status == COF_OK && mask)
        status = cofi_check_bytes(&call, mask, "mask", &p.in, &p.mask);
    if (status == COF_OK)
        status = cofi_mean_chroma(&call, &p.in, mask ? &p.mask : NULL, chroma);
    return cofi_call_end(&call, status);
}

static CofStatus check_recolour(Painting *p, const CofImage *in, const CofImage *mask,
                                const CofImage *out, const CofImage *matte)
{
    CofStatus status = check_painted(p, in, out);
    if (status == COF_OK)
        status = cofi_check_whole(p->call, &p->in, "in");
    if (status == COF_OK)
        status = cofi_check_bytes(p->call, mask, "mask", &p->in, &p->mask);
    if (status == COF_OK && matte)
        status = cofi_check_grey_float(p->call, matte, "matte", &p->in, &p->matte);
    if (status == COF_OK && p->call->options.update != COF_UPDATE_NONE)
        status = cofi_call_fail_option(p->call, "update",
                                       "the border of a mask is softened with fixed labels");
    return status;
}

CofStatus cof_recolour(const CofImage *in, const CofImage *mask, const double colour[3],
                       const CofImage *out, const CofImage *matte, const CofOptions *options)
{
    CofiCall call;
    Painting p = {.call = &call};
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, cofi_recolour_units(&call.options));
    status = check_colour(&call, colour);
    if (status == COF_OK)
        status = check_recolour(&p, in, mask, out, matte);
    if (status == COF_OK)
        status = cofi_recolour(&call, &p.in, &p.mask, colour, &p.out, matte ? &p.matte : NULL);
    return cofi_call_end(&call, status);
}
