/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of a video file, as ffprobe prints them: lines "key=value" between [STREAM] and
 * [/STREAM], and those of the file after [FORMAT]. */
#ifndef COF_FFPROBE_H
#define COF_FFPROBE_H

#include <glib.h>
#include <stddef.h>

/* Returns entries of the first video stream and of the file at `url`; free them with g_free(). The
 * file has one of the formats, or any with NULL; "1" for `ignore_editlist` includes the packets
 * that the edit list of an MP4 file hides, and NULL does not. Returns NULL on failure, and sets
 * *log to what ffprobe printed, or to NULL if an error has been printed because ffprobe could not
 * be started. Free *log with g_free(). */
char *ffprobe_run(const char *url, const char *formats, const char *ignore_editlist,
                  const char *entries, char **log);

/* Copies the value of the first line with this key and a known value; "" if there is none. */
void ffprobe_value(const char *text, const char *key, char *value, size_t size);

/* The value as a number; 0 if there is none. */
double ffprobe_number(const char *text, const char *key);

/* The values of all lines with this key, as int64_t; NULL if there is none, or one is unknown or
 * not within half of the range of int64_t. Free them with g_array_free(). */
GArray *ffprobe_numbers(const char *text, const char *key);

#endif
