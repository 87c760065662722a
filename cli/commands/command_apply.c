/* SPDX-License-Identifier: BSD-2-Clause */
/* cof apply: filters an image with a model. */
#include "commands/commands.h"

bool command_apply(const Arguments *a)
{
    return filter_image(a, a->operands[0], a->operands[1], a->operands[2]);
}
