/* SPDX-License-Identifier: BSD-2-Clause */
/* A mistake that every analyser must report: memory is freed twice. */
#include <stdlib.h>

int free_twice(int n);

int free_twice(int n)
{
    int *number = malloc(sizeof *number);
    if (!number)
        return 0;
    *number = n;
    int sum = *number + 1;
    free(number);
    free(number);
    return sum;
}
