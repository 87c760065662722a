/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of the library's options, as text. */
#ifndef COF_OPTION_VALUES_H
#define COF_OPTION_VALUES_H

#include <glib.h>
#include <stdbool.h>

#include "cof/cof.h"

/* Appends the value of an option that is a field of CofOptions: for a reader, or as JSON. */
void append_option_value(GString *text, const CofOptionInfo *info, const CofOptions *options,
                         bool json);

#endif
