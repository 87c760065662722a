/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of ffmpeg and ffprobe, run with -v level+error: "[CONTEXT @ ADDRESS] [error] TEXT". */
#ifndef COF_FFMPEG_LOG_H
#define COF_FFMPEG_LOG_H

#include <stdbool.h>

/* The value of ffmpeg's option -v that the functions below need. Encoders print lines of their own
 * with other levels, such as "x265 [info]: ...", whatever -v says. */
#define FFMPEG_LOG_LEVEL "level+error"

/* The text of the first error, or of the first line if no line is marked as an error; NULL if the
 * log is empty or NULL. Free it with g_free(). */
char *ffmpeg_log_first(const char *log);

/* The text of the first error of this context, the name of a format or codec; NULL: none. Free it
 * with g_free(). */
char *ffmpeg_log_find(const char *log, const char *context);

/* Whether a line is marked as an error. */
bool ffmpeg_log_has_error(const char *log);

/* Whether a decoder failed for a reason of its own, such as a lack of memory, and not because of
 * what it read: no line is marked as an error, or one names such a reason. */
bool ffmpeg_log_is_no_damage(const char *log);

/* The text of the first error about a file that could not be written, or a lack of memory; NULL:
 * none. Free it with g_free(). */
char *ffmpeg_log_system_error(const char *log);

#endif
