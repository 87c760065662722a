/* SPDX-License-Identifier: BSD-2-Clause */
/* cof apply: a picture, filtered with a model. */
#include "subcommands.h"

bool command_apply(const Arguments *a)
{
    return filter_picture(a, a->names[0], a->names[1], a->names[2]);
}
