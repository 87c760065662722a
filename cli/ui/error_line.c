/* SPDX-License-Identifier: BSD-2-Clause */
/* What went wrong, in one line. */
#include "ui/error_line.h"

#include <stdio.h>
#include <string.h>
#include <vips/vips.h>

/* In one line, whatever the name holds. */
void complain(const char *name, const char *cause)
{
    char *line = g_strdup_printf("cof: %s: %s", name, cause);
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    fprintf(stderr, "%s\n", line);
    g_free(line);
}

/* libvips collects several lines, each with the name of an operation; the last tells most. */
void complain_vips(const char *name, const char *otherwise)
{
    char *text = vips_error_buffer_copy();
    g_strchomp(text);
    char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    char *cause = strstr(line, ": ");
    complain(name, *line == '\0' ? otherwise : cause ? cause + 2 : line);
    g_free(text);
}
