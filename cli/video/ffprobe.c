/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of a video file. */
#include "video/ffprobe.h"

#include <stdbool.h>
#include <string.h>

#include "video/ffmpeg_log.h"
#include "video/subprocess.h"

char *ffprobe_run(const char *url, const char *entries, const char *const *options, char **log)
{
    GPtrArray *list = subprocess_arguments("ffprobe", "-v", FFMPEG_LOG_LEVEL, "-select_streams",
                                           "v:0", "-of", "default", NULL);
    for (; *options; options++)
        subprocess_add(list, *options, NULL);
    subprocess_add(list, "-show_entries", entries, "-i", url, NULL);
    return subprocess_output(list, log);
}

void ffprobe_value(const char *text, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);
    value[0] = '\0';
    for (const char *line = text; line && value[0] == '\0';) {
        if (strncmp(line, key, length) == 0 && line[length] == '=') {
            size_t n = strcspn(line + length + 1, "\r\n");
            g_strlcpy(value, line + length + 1, n + 1 < size ? n + 1 : size);
            if (strcmp(value, "N/A") == 0 || strcmp(value, "unknown") == 0)
                value[0] = '\0';
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

double ffprobe_number(const char *text, const char *key)
{
    char value[64];
    ffprobe_value(text, key, value, sizeof value);
    return g_ascii_strtod(value, NULL);
}

GArray *ffprobe_numbers(const char *text, const char *key)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(gint64));
    size_t length = strlen(key);
    bool known = true;
    for (const char *line = text; line && known;) {
        if (strncmp(line, key, length) == 0 && line[length] == '=') {
            char *end;
            gint64 value = g_ascii_strtoll(line + length + 1, &end, 10);
            known = end != line + length + 1;
            g_array_append_val(values, value);
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (known && values->len > 0)
        return values;
    g_array_free(values, TRUE);
    return NULL;
}
