/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives an object another colour. */
#ifndef COF_RECOLOUR_H
#define COF_RECOLOUR_H

#include "cof/cof.h"
#include "call/call.h"

/* Tints what the mask marks, see cof_recolour(). All views are complete, whole and of one size; a
 * NULL matte is not written. */
CofStatus cofi_recolour(CofiCall *call, const CofImage *in, const CofImage *mask,
                        const double colour[3], const CofImage *out, const CofImage *matte);
double cofi_recolour_units(const CofOptions *options); /* of progress */

#endif
