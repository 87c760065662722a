/* SPDX-License-Identifier: BSD-2-Clause */
/* Did you mean ...? */
#include "options/suggest.h"

#include <string.h>

#define LONGEST 40

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* How many letters must be put in, left out, changed or swapped with the next one. */
static int distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b), table[LONGEST + 1][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            int change = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            table[i][j] = least(change, 1 + least(table[i - 1][j], table[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
        }
    return table[n][m];
}

const char *suggest(const char *text, const char *const *words, int n)
{
    const char *best = NULL;
    int nearest = least((int)strlen(text) / 3 + 1, 3) + 1;
    for (int i = 0; i < n; i++) {
        int d = distance(text, words[i]);
        if (d < nearest) {
            nearest = d;
            best = words[i];
        }
    }
    return best;
}
