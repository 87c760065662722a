/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggestions for misspelt words. */
#include "options/suggest.h"

#include <string.h>

#define MAX_LENGTH 40

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* The Damerau-Levenshtein distance: insertions, deletions, changes and swaps of neighbours. */
static int edit_distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b), table[MAX_LENGTH + 1][MAX_LENGTH + 1];
    if (n > MAX_LENGTH || m > MAX_LENGTH)
        return MAX_LENGTH;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            int change = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            table[i][j] = min_int(change, 1 + min_int(table[i - 1][j], table[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = min_int(table[i][j], table[i - 2][j - 2] + 1);
        }
    return table[n][m];
}

const char *suggest(const char *text, const char *const *words, int n)
{
    const char *best = NULL;
    int nearest = min_int((int)strlen(text) / 3 + 1, 3) + 1;
    for (int i = 0; i < n; i++) {
        int d = edit_distance(text, words[i]);
        if (d < nearest) {
            nearest = d;
            best = words[i];
        }
    }
    return best;
}
