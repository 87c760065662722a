/* SPDX-License-Identifier: BSD-2-Clause */
/* Did you mean ...? */
#ifndef COF_SUGGEST_H
#define COF_SUGGEST_H

/* The one of n words that is most like the text, if one is like it; else NULL. */
const char *suggest(const char *text, const char *const *words, int n);

#endif
