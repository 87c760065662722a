/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggestions for misspelt words. */
#ifndef COF_SUGGEST_H
#define COF_SUGGEST_H

/* The most similar of n words; NULL if none is similar. */
const char *suggest(const char *text, const char *const *words, int n);

#endif
