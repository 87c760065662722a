/* SPDX-License-Identifier: BSD-2-Clause */
/* American spellings of words that this command spells the British way. */
#ifndef COF_SPELLING_H
#define COF_SPELLING_H

#include <stdbool.h>

/* No name of an option or a subcommand and no word of an option is longer. */
#define MAX_WORD_LENGTH 40

/* Writes the American spelling of a British word, which is often the same. */
void american_spelling(const char *word, char american[MAX_WORD_LENGTH + 1]);

/* Is the text this British word, in either spelling? */
bool is_word(const char *text, const char *word);

/* The index of the text in a list of British words that ends with NULL; -1: not in the list. */
int find_word(const char *text, const char *const *words);

#endif
