/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard error, without the lines that some libraries print themselves. */
#ifndef COF_MESSAGE_STREAM_H
#define COF_MESSAGE_STREAM_H

/* Writes text to standard error, even while it is muted. */
void message_write(const char *text);

/* The same without a lock, for signal handlers; async-signal-safe. */
void message_write_at_once(const char *text);

/* From here on, message_write() writes nothing: the process ends, and what fails now fails because
 * of that; async-signal-safe. */
void message_end(void);

/* Until message_unmute() is called as often, what others write to standard error is dropped. */
void message_mute(void);
void message_unmute(void);

#endif
