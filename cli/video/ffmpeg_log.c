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

static bool has_any(const char *line, const char *const *texts)
{
    while (*texts && !strstr(line, *texts))
        texts++;
    return *texts != NULL;
}

/* The text of the first error whose line begins with `prefix` and has one of the texts, which end
 * with NULL; a NULL is any. */
static char *find_error(const char *log, const char *prefix, const char *const *texts)
{
    char **lines = g_strsplit_set(log ? log : "", "\r\n", -1), *found = NULL;
    for (char **line = lines; *line && !found; line++) {
        char *text = error_text(*line);
        if (text && g_str_has_prefix(*line, prefix ? prefix : "") &&
            (!texts || has_any(*line, texts)))
            found = g_strdup(text);
    }
    size_t length = found ? strlen(g_strstrip(found)) : 0;
    if (length > 0 && found[length - 1] == '.')
        found[length - 1] = '\0';
    g_strfreev(lines);
    return found;
}

bool ffmpeg_log_is_no_damage(const char *log)
{
    const char *const own[] = {g_strerror(ENOMEM), "Unknown decoder",     "Impossible to convert",
                               "Option not found", "Unrecognized option", NULL};
    char *text = find_error(log, NULL, own);
    g_free(text);
    return text || !ffmpeg_log_has_error(log);
}

bool ffmpeg_log_has_error(const char *log)
{
    char *text = find_error(log, NULL, NULL);
    g_free(text);
    return text != NULL;
}

char *ffmpeg_log_first(const char *log)
{
    char *text = find_error(log, NULL, NULL);
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
    char *prefix = g_strdup_printf("[%s @ ", context), *text = find_error(log, prefix, NULL);
    g_free(prefix);
    return text;
}

char *ffmpeg_log_system_error(const char *log)
{
    const char *const errors[] = {g_strerror(ENOSPC),
                                  g_strerror(EFBIG),
                                  g_strerror(EDQUOT),
                                  g_strerror(EIO),
                                  g_strerror(EROFS),
                                  g_strerror(ENOMEM),
                                  NULL};
    return find_error(log, NULL, errors);
}
