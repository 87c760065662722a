/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps what code prints to stdout and stderr in memory, to check it. */
#define _GNU_SOURCE
#include "captured_streams.h"

#include <stdio.h>

#include "fuzz.h"

/* stdout and stderr are variables in glibc and musl alike; only glibc lets programs set them. */
static struct {
    FILE *out, *err, *real_out, *real_err;
    char *out_text, *err_text;
    size_t out_size, err_size;
} streams;

void capture_begin(void)
{
    if (!streams.out) {
        streams.out = open_memstream(&streams.out_text, &streams.out_size);
        streams.err = open_memstream(&streams.err_text, &streams.err_size);
        CHECK(streams.out && streams.err);
    }
    rewind(streams.out);
    rewind(streams.err);
    streams.real_out = stdout;
    streams.real_err = stderr;
    stdout = streams.out;
    stderr = streams.err;
}

Captured capture_end(void)
{
    stdout = streams.real_out;
    stderr = streams.real_err;
    size_t out_size = (size_t)ftello(streams.out), err_size = (size_t)ftello(streams.err);
    fflush(streams.out);
    fflush(streams.err);
    return (Captured){streams.out_text, streams.err_text, out_size, err_size};
}
