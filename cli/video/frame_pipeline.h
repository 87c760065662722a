/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames in flight: read one after the other, worked on by all threads, written in their order. */
#ifndef COF_FRAME_PIPELINE_H
#define COF_FRAME_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Assembly Assembly;

/* What is done with a frame; each returns false after having complained, which ends it all. Reading
 * and writing run on one thread each, in the order of frames. */
typedef struct AssemblyWork {
    void *context;
    size_t bytes; /* of a frame */
    /* Fills `frame`; *end: there was none. *knowledge goes with the frame. */
    bool (*read)(void *context, int64_t number, void *frame, void **knowledge, bool *end);
    bool (*work)(void *context, int worker, const void *knowledge, void *frame, void *out);
    bool (*write)(void *context, int64_t number, const void *out);
    void (*forget)(void *knowledge);
} AssemblyWork;

/* Runs until there are no more frames; *frames: how many were written. */
bool assembly_run(const AssemblyWork *work, int workers, int64_t *frames);

#endif
