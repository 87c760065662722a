/* SPDX-License-Identifier: BSD-2-Clause */
/* American spellings of words that this command spells the British way. */
#include "options/spelling.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* Spellings that differ, of the same length or shorter in American. */
static const char *const spellings[][2] = {
    {"colour", "color"},
    {"grey", "gray"},
    {"normalise", "normalize"},
    {"posterise", "posterize"},
};

void american_spelling(const char *word, char american[MAX_WORD_LENGTH + 1])
{
    assert(strlen(word) <= MAX_WORD_LENGTH);
    strcpy(american, word);
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        const char *british = spellings[i][0], *other = spellings[i][1];
        char *found = strstr(american, british);
        if (!found)
            continue;
        char *rest = found + strlen(british);
        memcpy(found, other, strlen(other));
        memmove(found + strlen(other), rest, strlen(rest) + 1);
    }
}

bool is_word(const char *text, const char *word)
{
    char american[MAX_WORD_LENGTH + 1];
    american_spelling(word, american);
    return strcmp(text, word) == 0 || strcmp(text, american) == 0;
}

int find_word(const char *text, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (is_word(text, words[i]))
            return i;
    return -1;
}
