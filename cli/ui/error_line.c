/* SPDX-License-Identifier: BSD-2-Clause */
/* Error messages of one line. */
#include "ui/error_line.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <vips/vips.h>

#include "ui/message_stream.h"
#include "ui/progress.h"

static bool notes_disabled;

/* The lines of a thread that holds them back, and whether one tells libvips' error. */
static _Thread_local GString *held;
static _Thread_local bool held_vips_error;

/* Prints and frees a line. Control characters in names must not break it. */
static void print_line(char *line)
{
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    char *whole = g_strconcat(line, "\n", NULL);
    if (held) {
        g_string_append(held, whole);
    } else {
        progress_erase();
        message_write(whole);
    }
    g_free(whole);
    g_free(line);
}

void error_lines_hold(void)
{
    held = g_string_new(NULL);
    held_vips_error = false;
}

bool error_lines_have_vips_error(void)
{
    return held_vips_error;
}

void error_lines_end(bool print)
{
    if (print && held->len > 0) {
        progress_erase();
        message_write(held->str);
    }
    g_string_free(held, TRUE);
    held = NULL;
}

void print_error(const char *name, const char *cause)
{
    print_line(g_strdup_printf("cof: %s: %s", name, cause));
}

void print_usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    print_line(g_strdup_printf("cof: %s", text));
    g_free(text);
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

/* libvips collects lines of the form "operation: cause"; the last one is the most specific. Changes
 * the text. */
static const char *last_cause(char *text)
{
    g_strchomp(text);
    const char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    const char *cause = strstr(line, ": ");
    cause = cause ? cause + 2 : line;
    return cause + strspn(cause, " ");
}

/* Without the quoted name at the beginning, which is printed anyway. */
static const char *without_name(const char *cause, const char *name)
{
    size_t length = strlen(name);
    bool repeats = cause[0] == '"' && strncmp(cause + 1, name, length) == 0 &&
                   cause[length + 1] == '"' && cause[length + 2] == ' ';
    return repeats ? cause + length + 3 : cause;
}

void print_vips_text(const char *name, const char *lines, const char *fallback)
{
    held_vips_error = true;
    char *text = g_strdup(lines);
    const char *cause = without_name(last_cause(text), name);
    if (strstr(cause, "Error creating thread")) /* GLib may have no memory to say why */
        cause = "not enough memory for another thread";
    if (*cause == '(') { /* libheif may give a number only */
        char *numbered = g_strconcat(fallback, " ", cause, NULL);
        print_error(name, numbered);
        g_free(numbered);
    } else {
        print_error(name, *cause == '\0' ? fallback : cause);
    }
    g_free(text);
}

void print_vips_error(const char *name, const char *fallback)
{
    char *text = vips_error_buffer_copy();
    print_vips_text(name, text, fallback);
    g_free(text);
}

/* The text after the first "unix error: " (libvips 8.14) or "system error: " (8.16) that names a
 * cause. libvips repeats such errors, reports some without a number, and cuts off a long list. */
static char *system_error(const char *text)
{
    static const char *const marks[] = {"unix error: ", "system error: "};
    static const char unknown[] = "Unknown error";
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        for (const char *at = strstr(text, marks[i]); at; at = strstr(at, marks[i])) {
            at += strlen(marks[i]);
            if (strncmp(at, unknown, strlen(unknown)) != 0)
                return g_strndup(at, strcspn(at, "\n"));
        }
    return NULL;
}

static bool is_full(const char *file)
{
    struct statvfs info;
    return statvfs(file, &info) == 0 && info.f_bavail == 0;
}

void print_vips_write_error(const char *name, const char *file)
{
    held_vips_error = true;
    char *text = vips_error_buffer_copy(), *system = system_error(text);
    const char *cause = last_cause(text);
    bool is_useless = *cause == '\0' || (file && strstr(cause, file)) || strstr(cause, "(null)");
    if (system)
        print_error(name, system);
    else if (file && is_full(file))
        print_error(name, strerror(ENOSPC));
    else
        print_error(name, is_useless ? "cannot be written" : cause);
    g_free(system);
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
