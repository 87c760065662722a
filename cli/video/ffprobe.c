/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of a video file. */
#include "video/ffprobe.h"

#include <stdbool.h>
#include <string.h>

#include "video/ffmpeg_log.h"
#include "video/subprocess.h"

char *ffprobe_run(const char *url, const char *formats, const char *ignore_editlist,
                  const char *entries, char **log)
{
    GPtrArray *list =
        subprocess_arguments("ffprobe", "-v", FFMPEG_LOG_LEVEL, "-select_streams", "v:0", "-of",
                             "default", "-protocol_whitelist", "file", "-count_packets", NULL);
    subprocess_add_option(list, "-format_whitelist", formats);
    subprocess_add_option(list, "-ignore_editlist", ignore_editlist);
    subprocess_add(list, "-show_entries", entries, "-i", url, NULL);
    return subprocess_output(list, log);
}

/* The text after "key=" in the next line that begins so; NULL: none. */
static const char *find_value(const char *text, const char *key)
{
    size_t length = strlen(key);
    while (text && !(strncmp(text, key, length) == 0 && text[length] == '=')) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text ? text + length + 1 : NULL;
}

void ffprobe_value(const char *text, const char *key, char *value, size_t size)
{
    value[0] = '\0';
    while (value[0] == '\0' && (text = find_value(text, key))) {
        size_t n = strcspn(text, "\r\n");
        g_strlcpy(value, text, n + 1 < size ? n + 1 : size);
        if (strcmp(value, "N/A") == 0 || strcmp(value, "unknown") == 0)
            value[0] = '\0';
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
    static const gint64 limit = G_MAXINT64 / 2; /* the difference of two values is no overflow */
    GArray *values = g_array_new(FALSE, FALSE, sizeof(gint64));
    bool known = true;
    while (known && (text = find_value(text, key))) {
        char *end;
        gint64 value = g_ascii_strtoll(text, &end, 10);
        known = end != text && value >= -limit && value <= limit;
        g_array_append_val(values, value);
    }
    if (known && values->len > 0)
        return values;
    g_array_free(values, TRUE);
    return NULL;
}
