/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pixels of an image take part in learning. */
#ifndef COF_ROI_H
#define COF_ROI_H

#include <stdbool.h>

#include "cof/cof.h"

/* A checked CofWhere. */
typedef struct CofiWhere {
    CofRect region; /* within the full image */
    CofRect part;   /* of the full image */
    CofRect firsts; /* where the first pixel of a pair may lie: region and part */
    bool has_mask;
    CofImage mask;
} CofiWhere;

/* Checks `where` (NULL: everywhere) for a complete view. Without a part, that is `part`. */
CofStatus cofi_where_complete(const CofWhere *where, const CofImage *image, CofRect part,
                              CofiWhere *complete, const char **problem);

/* votes[i] = 1 if pixel (x + i, y) of the view has data and is not transparent, else 0. */
void cofi_seen_row(const CofImage *image, int x, int y, int n, uint8_t *votes);

/* The same, and lies inside region and mask. */
void cofi_votes_row(const CofiWhere *where, const CofImage *image, int x, int y, int n,
                    uint8_t *votes);

#endif
