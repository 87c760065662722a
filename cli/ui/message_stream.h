/* SPDX-License-Identifier: BSD-2-Clause */
/* The standard streams, without the lines that some libraries print themselves. */
#ifndef COF_MESSAGE_STREAM_H
#define COF_MESSAGE_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Writes text to standard error. */
void message_write(const char *text);

/* The same without a lock, for signal handlers; async-signal-safe. */
void message_write_at_once(const char *text);

/* From here on, message_write() writes nothing: the process ends, and what fails now fails because
 * of that; async-signal-safe. */
void message_end(void);

/* Takes the place of standard streams that are closed, so that no file gets their number: reading
 * from them and writing to them fails as before. To be called first. */
void message_reserve_streams(void);

/* From here on, what libraries print to standard output and standard error is dropped: the former
 * carries the image. A stream that one of the arguments of the command names, such as /dev/stdout,
 * stays. To be called once, before other threads run. */
void message_claim_streams(char *const *arguments);

/* Whether standard error is a terminal. */
bool message_is_terminal(void);

/* The stream for what the command itself writes to standard output. */
FILE *message_output(void);

#endif
