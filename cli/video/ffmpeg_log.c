/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of ffmpeg and ffprobe. */
#include "video/ffmpeg_log.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

/* The text after the mark of an error; NULL if the line has none. */
static char *error_text(char *line)
{
    static const char *const marks[] = {"[error] ", "[fatal] ", "[panic] ", "[error]: "};
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        char *mark = strstr(line, marks[i]);
        if (mark)
            return mark + strlen(marks[i]);
    }
    return NULL;
}

/* Whether the line begins with "[CONTEXT @ ". */
static bool has_context(const char *line, const char *context)
{
    size_t n = strlen(context);
    return line[0] == '[' && strncmp(line + 1, context, n) == 0 &&
           strncmp(line + 1 + n, " @ ", 3) == 0;
}

/* The text of the first error for which `wanted` is true. */
static char *find_error(const char *log, bool (*wanted)(const char *line, const char *data),
                        const char *data)
{
    char **lines = g_strsplit_set(log ? log : "", "\r\n", -1), *found = NULL;
    for (char **line = lines; *line && !found; line++) {
        char *text = error_text(*line);
        if (text && wanted(*line, data))
            found = g_strdup(text);
    }
    size_t length = found ? strlen(g_strstrip(found)) : 0;
    if (length > 0 && found[length - 1] == '.')
        found[length - 1] = '\0';
    g_strfreev(lines);
    return found;
}

static bool any_line(const char *line, const char *unused)
{
    (void)line, (void)unused;
    return true;
}

static bool is_system_error(const char *line, const char *unused)
{
    (void)unused;
    static const int errors[] = {ENOSPC, EFBIG, EDQUOT, EIO, EROFS, ENOMEM};
    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++)
        if (strstr(line, strerror(errors[i])))
            return true;
    return false;
}

static bool is_own_error(const char *line, const char *unused)
{
    (void)unused;
    const char *const errors[] = {strerror(ENOMEM), "Unknown decoder", "Impossible to convert",
                                  "Option not found", "Unrecognized option"};
    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++)
        if (strstr(line, errors[i]))
            return true;
    return false;
}

bool ffmpeg_log_is_no_damage(const char *log)
{
    char *text = find_error(log, is_own_error, NULL);
    g_free(text);
    return text || !ffmpeg_log_has_error(log);
}

bool ffmpeg_log_has_error(const char *log)
{
    char *text = find_error(log, any_line, NULL);
    g_free(text);
    return text != NULL;
}

char *ffmpeg_log_first(const char *log)
{
    char *text = find_error(log, any_line, NULL);
    if (text || !log)
        return text;
    text = g_strstrip(g_strdup(log));
    text[strcspn(text, "\r\n")] = '\0';
    if (text[0] != '\0')
        return text;
    g_free(text);
    return NULL;
}

char *ffmpeg_log_find(const char *log, const char *context)
{
    return find_error(log, has_context, context);
}

char *ffmpeg_log_system_error(const char *log)
{
    return find_error(log, is_system_error, NULL);
}
