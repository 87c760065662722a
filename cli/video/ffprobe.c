/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of a video file. */
#include "video/ffprobe.h"

#include <glib.h>
#include <string.h>

#include "video/ffmpeg_log.h"
#include "video/subprocess.h"

const char *const video_formats =
#define VIDEO(name, demuxers) demuxers
#include "io/formats.def"
    ;

char *ffprobe_run(const char *url, const char *entries, const char *const *options, char **log)
{
    static const char *const begin[] = {"ffprobe", "-v",  FFMPEG_LOG_LEVEL, "-select_streams",
                                        "v:0",     "-of", "default"};
    GPtrArray *list = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(begin); i++)
        g_ptr_array_add(list, (void *)begin[i]);
    for (; *options; options++)
        g_ptr_array_add(list, (void *)*options);
    g_ptr_array_add(list, "-show_entries");
    g_ptr_array_add(list, (void *)entries);
    g_ptr_array_add(list, "-i");
    g_ptr_array_add(list, (void *)url);
    g_ptr_array_add(list, NULL);
    char *text = subprocess_output((char *const *)list->pdata, log);
    g_ptr_array_free(list, TRUE);
    return text;
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
