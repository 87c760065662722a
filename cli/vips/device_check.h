/* SPDX-License-Identifier: BSD-2-Clause */
/* The device of --device. */
#ifndef COF_DEVICE_CHECK_H
#define COF_DEVICE_CHECK_H

#include "options/arguments.h"

/* Opens the device, if one is asked for, and keeps it for the operations of libvips, so that
 * nothing is read or written in vain. Prints an error if it cannot be used. */
bool device_check(const Arguments *arguments);

/* Opens the device, if one is asked for, for calls of the library: sets the context of the options,
 * to be freed by the caller. Prints an error if it cannot be used. */
bool device_open(Arguments *arguments);

#endif
