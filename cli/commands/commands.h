/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands. Each prints an error and returns false on failure. */
#ifndef COF_COMMANDS_H
#define COF_COMMANDS_H

#include "options/arguments.h"

bool command_filter(const Arguments *arguments);
bool command_learn(const Arguments *arguments);
bool command_apply(const Arguments *arguments);
bool command_merge(const Arguments *arguments);
bool command_show(const Arguments *arguments);
bool command_select(const Arguments *arguments);
bool command_focus(const Arguments *arguments);
bool command_recolour(const Arguments *arguments);
bool command_video(const Arguments *arguments);
bool command_info(const Arguments *arguments);

/* Filters one image, with the model in a file or, if `model` is NULL, with one that is learned. */
bool filter_image(const Arguments *arguments, const char *model, const char *input,
                  const char *output);

#endif
