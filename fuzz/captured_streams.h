/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps what code prints to stdout and stderr in memory, to check it. */
#ifndef COF_FUZZ_CAPTURED_STREAMS_H
#define COF_FUZZ_CAPTURED_STREAMS_H

#include <stddef.h>

typedef struct Captured {
    const char *out, *err; /* valid until the next capture */
    size_t out_size, err_size;
} Captured;

/* From here on, stdout and stderr are buffers. */
void capture_begin(void);
/* Restores both and returns what was printed. */
Captured capture_end(void);

#endif
