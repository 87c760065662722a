/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the kernels of every level that this machine has against C, on random and extreme input
 * that ends where memory ends. A program of its own, so that it can run on machines that have
 * nothing but a libc. */
#include "kernels_check.h"

#include <stdio.h>

int main(void)
{
    Level levels[MAX_LEVELS];
    int n = levels_here(levels);
    for (int i = 0; i < n; i++) {
        check_colour(&levels[i]);
        check_nearest(&levels[i]);
        check_count(&levels[i]);
        check_filter(&levels[i]);
        check_grey(&levels[i]);
        check_fast(&levels[i]);
        check_refine(&levels[i]);
        printf("%s: checked\n", levels[i].name);
        fflush(stdout);
    }
    return failures() > 0;
}
