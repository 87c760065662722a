/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pixels of an image take part in learning. */
#include "image/roi.h"

#include <string.h>

#include "base/arithmetic.h"
#include "image/image.h"

/* Pixels whose alpha is read at once. */
#define BLOCK 256

static bool is_given(CofRect rect)
{
    return rect.width != 0 || rect.height != 0 || rect.x != 0 || rect.y != 0;
}

CofStatus cofi_where_complete(const CofWhere *where, const CofImage *image, CofRect part,
                              CofiWhere *complete, const char **problem)
{
    CofRect full = cofi_full_rect(image);
    if (where && (where->reserved[0] != 0 || where->reserved[1] != 0)) {
        *problem = "the reserved fields of a CofWhere must be 0";
        return COF_ERR_ARGUMENT;
    }
    *complete = (CofiWhere){.region = full};
    if (where && is_given(where->region))
        complete->region = cofi_rect_intersect(where->region, full);
    if (cofi_rect_empty(complete->region)) {
        *problem = "the region to learn from lies outside of the image";
        return COF_ERR_ARGUMENT;
    }
    if (where && is_given(where->part)) {
        part = where->part;
        if (cofi_rect_empty(part) || !cofi_rect_holds(full, part)) {
            *problem = "the part lies outside of the image";
            return COF_ERR_ARGUMENT;
        }
    }
    complete->part = part;
    complete->firsts = cofi_rect_intersect(complete->region, part);
    if (!where || !where->mask)
        return COF_OK;
    complete->has_mask = true;
    return cofi_bytes_complete(where->mask, image, &complete->mask, problem);
}

void cofi_seen_row(const CofImage *image, int x, int y, int n, uint8_t *votes)
{
    memset(votes, 1, (size_t)n);
    cofi_valid_row(image, x, y, n, votes);
    if (!cofi_has_alpha(image))
        return;
    float alpha[BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        cofi_load_row(image, image->channels - 1, x + first, y, count, alpha);
        for (int i = 0; i < count; i++)
            votes[first + i] &= alpha[i] > 0;
    }
}

void cofi_votes_row(const CofiWhere *where, const CofImage *image, int x, int y, int n,
                    uint8_t *votes)
{
    CofRect row = {image->x + x, image->y + y, n, 1};
    CofRect inside = cofi_rect_intersect(row, where->region);
    if (cofi_rect_empty(inside)) {
        memset(votes, 0, (size_t)n);
        return;
    }
    cofi_seen_row(image, x, y, n, votes);
    if (where->has_mask)
        cofi_mask_row(&where->mask, x, y, n, votes);
    int before = inside.x - row.x, after = before + inside.width;
    memset(votes, 0, (size_t)before);
    memset(votes + after, 0, (size_t)(n - after));
}
