/* SPDX-License-Identifier: BSD-2-Clause */
/* What went wrong, in one line. */
#ifndef COF_ERROR_LINE_H
#define COF_ERROR_LINE_H

/* Prints "cof: name: cause". */
void complain(const char *name, const char *cause);

/* The same with the last thing that libvips has complained of, or `otherwise`. */
void complain_vips(const char *name, const char *otherwise);

#endif
