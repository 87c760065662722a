/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in buffers of the caller: memory of the host stands for them, so that all else sees only
 * images of the host. The device copies from and to the buffers where it can. */
#ifndef COF_RESIDENT_H
#define COF_RESIDENT_H

#include "call/call.h"

/* Replaces images that are in buffers by images of the host, which are copied to *host. If
 * `reads_host`, the pixels of the input are read at once. */
CofStatus cofi_resident_begin(CofiCall *call, const CofImage **in, const CofImage **out,
                              CofImage host[2], bool reads_host);

/* Reads the pixels of the input, unless they have been read, or it is an image of the host. */
CofStatus cofi_resident_read(CofiCall *call);

/* Reads only every step-th row. */
CofStatus cofi_resident_read_rows(CofiCall *call, int first, int step);

/* Writes the output to its buffer, unless the device has. */
CofStatus cofi_resident_end(CofiCall *call);

#endif
