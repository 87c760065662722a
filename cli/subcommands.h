/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands. Each returns whether all went well; if not, it has said so. */
#ifndef COF_SUBCOMMANDS_H
#define COF_SUBCOMMANDS_H

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

/* Filters one picture; with `model`, if that is not NULL. */
bool filter_picture(const Arguments *arguments, const char *model, const char *input,
                    const char *output);

#endif
