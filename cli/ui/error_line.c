/* SPDX-License-Identifier: BSD-2-Clause */
/* Error messages of one line. */
#include "ui/error_line.h"

#include <stdio.h>
#include <string.h>
#include <vips/vips.h>

#include "ui/message_stream.h"

static bool notes_disabled;

/* Prints and frees a line. Control characters in names must not break it. */
static void print_line(char *line)
{
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    char *whole = g_strconcat(line, "\n", NULL);
    message_write(whole);
    g_free(whole);
    g_free(line);
}

void print_error(const char *name, const char *cause)
{
    print_line(g_strdup_printf("cof: %s: %s", name, cause));
}

void notes_disable(void)
{
    notes_disabled = true;
}

void print_note(const char *name, const char *text)
{
    if (!notes_disabled)
        print_line(g_strdup_printf("cof: note: %s%s%s", name ? name : "", name ? ": " : "", text));
}

/* libvips collects lines of the form "operation: cause"; the last one is the most specific. */
void print_vips_error(const char *name, const char *fallback)
{
    char *text = vips_error_buffer_copy();
    g_strchomp(text);
    char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    char *colon = strstr(line, ": ");
    const char *cause = g_strchug(colon ? colon + 2 : line);
    if (*cause == '(') { /* libheif may give a number only */
        char *numbered = g_strconcat(fallback, " ", cause, NULL);
        print_error(name, numbered);
        g_free(numbered);
    } else {
        print_error(name, *cause == '\0' ? fallback : cause);
    }
    g_free(text);
}

/* The names of options have hyphens on the command line, but not in the library's texts. */
bool print_cof_problem(const char *name, const CofProblem *problem)
{
    char *text = g_strdup(problem->text);
    size_t length = problem->option ? strlen(problem->option) : 0;
    if (length > 0 && strncmp(text, problem->option, length) == 0)
        for (size_t i = 0; i < length; i++)
            if (text[i] == '_')
                text[i] = '-';
    print_error(name, text);
    g_free(text);
    return false;
}
