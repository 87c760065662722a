/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pixels of an image take part in learning. */
#include "image/roi.h"

#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "image/image.h"

/* Pixels whose alpha is read at a time. */
#define BLOCK 256

static bool is_given(CofRect rect)
{
    return rect.width != 0 || rect.height != 0 || rect.x != 0 || rect.y != 0;
}

static bool is_empty(CofRect rect)
{
    return is_given(rect) && cofi_rect_empty(rect);
}

static CofStatus complete_roi(const CofRoi *roi, const CofImage *image, CofRect part,
                              CofiRoi *complete, const char **problem)
{
    CofRect full = cofi_full_rect(image);
    if (roi && roi->reserved[0] != 0) {
        *problem = "the reserved field of a CofRoi must be 0";
        return COF_ERR_ARGUMENT;
    }
    if (roi && roi->downscaled != 0 && roi->downscaled != 1) {
        *problem = "`downscaled` of a CofRoi must be 0 or 1";
        return COF_ERR_ARGUMENT;
    }
    if (roi && (is_empty(roi->region) || is_empty(roi->part))) {
        *problem = "a region of interest or a part has no pixels";
        return COF_ERR_ARGUMENT;
    }
    *complete = (CofiRoi){.region = full};
    if (roi && is_given(roi->region))
        complete->region = cofi_rect_intersect(roi->region, full);
    if (cofi_rect_empty(complete->region)) {
        *problem = "the region of interest lies outside the image";
        return COF_ERR_MISMATCH;
    }
    if (roi && is_given(roi->part))
        part = roi->part;
    if (!cofi_rect_holds(full, part)) {
        *problem = "the part lies outside the image";
        return COF_ERR_MISMATCH;
    }
    complete->part = part;
    complete->references = cofi_rect_intersect(complete->region, part);
    if (!roi || !roi->mask)
        return COF_OK;
    complete->has_mask = true;
    return cofi_bytes_complete(roi->mask, image, &complete->mask, problem);
}

CofStatus cofi_check_roi(CofiCall *call, const CofRoi *roi, const CofImage *image, CofRect part,
                         CofiRoi *complete)
{
    const char *problem = NULL;
    CofStatus status = complete_roi(roi, image, part, complete, &problem);
    return status == COF_OK ? status : cofi_call_fail_argument(call, status, "roi", problem);
}

void cofi_visible_row(const CofImage *image, int x, int y, int n, uint8_t *members)
{
    memset(members, 1, (size_t)n);
    cofi_valid_row(image, x, y, n, members);
    if (!cofi_has_alpha(image))
        return;
    float alpha[BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        cofi_load_row(image, image->channels - 1, x + first, y, count, alpha);
        for (int i = 0; i < count; i++)
            members[first + i] &= alpha[i] > 0;
    }
}

void cofi_member_row(const CofiRoi *roi, const CofImage *image, int x, int y, int n,
                     uint8_t *members)
{
    assert(!roi->has_mask || roi->mask.width == image->width);
    CofRect row = {image->x + x, image->y + y, n, 1};
    CofRect inside = cofi_rect_intersect(row, roi->region);
    if (cofi_rect_empty(inside)) {
        memset(members, 0, (size_t)n);
        return;
    }
    cofi_visible_row(image, x, y, n, members);
    if (roi->has_mask)
        cofi_mask_row(&roi->mask, x, y, n, members);
    int before = inside.x - row.x, after = before + inside.width;
    memset(members, 0, (size_t)before);
    memset(members + after, 0, (size_t)(n - after));
}
