/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pages of a file the user wants. */
#ifndef COF_PAGE_RANGE_H
#define COF_PAGE_RANGE_H

#include <stdbool.h>

/* Pages of a file, counted from 1. All 0: all pages. */
typedef struct PageRange {
    int first, last;
    bool or_single; /* take a file of one page as it is */
} PageRange;

#endif
