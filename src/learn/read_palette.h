/* SPDX-License-Identifier: BSD-2-Clause */
/* Palettes from bytes, which are not trusted, and checked numbers. */
#ifndef COF_READ_PALETTE_H
#define COF_READ_PALETTE_H

#include "cof/cof.h"
#include "base/byte_io.h"
#include "learn/palette.h"

/* Reads a number; the reader fails if it is above `most`. */
int cofi_read_up_to(CofiReader *r, uint32_t most);

/* Read floats; the reader fails if one is not finite. */
double cofi_read_finite(CofiReader *r);
void cofi_read_rows(CofiReader *r, float *rows, size_t n);

/* The reader fails unless the condition holds. */
void cofi_reader_require(CofiReader *r, bool holds);

CofStatus cofi_reader_status(const CofiReader *r);

/* Can images of this kind have centres with so many bands? */
bool cofi_centres_fit(CofKind family, int bands);

/* On failure nothing is allocated. */
CofStatus cofi_read_palette(CofiReader *r, CofiPalette *palette);

#endif
