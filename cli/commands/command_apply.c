/* SPDX-License-Identifier: BSD-2-Clause */
/* cof apply: filters an image with a model. */
#include "commands/commands.h"
#include "io/cof_file.h"
#include "io/paths.h"
#include "ui/error_line.h"
#include "vips/device_check.h"

/* A pipe can be read only once. */
static bool is_cof_file(const char *name)
{
    return !path_is_stream(name) && !path_is_special(name) && cof_file_is(name);
}

bool command_apply(const Arguments *a)
{
    const char *model = a->operands[0], *input = a->operands[1], *output = a->operands[2];
    if (is_cof_file(input) && !is_cof_file(model)) {
        print_error(model, "not a model; the order is MODEL INPUT OUTPUT");
        return false;
    }
    if (!path_is_stream(input) && path_is_folder(input)) {
        print_error(input, "is a folder; for many images use cof --model MODEL FOLDER -o FOLDER");
        return false;
    }
    return device_check(a) && filter_image(a, model, input, output);
}
