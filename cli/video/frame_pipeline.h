/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipeline of frames: one thread reads, several process, one writes in the order of reading. */
#ifndef COF_FRAME_PIPELINE_H
#define COF_FRAME_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The stages of the pipeline. A stage that returns false stops the pipeline. `read` and `write` are
 * called by one thread each, in the order of frames. Every frame that is read is processed, unless
 * a stage fails, and begun in the order of frames. */
typedef struct FrameStages {
    void *context;
    size_t frame_bytes;
    /* Fills `frame` and sets *model, the model to process it with; sets *end after the last frame.
     */
    bool (*read)(void *context, int64_t number, void *frame, void **model, bool *end);
    bool (*process)(void *context, int worker, int64_t number, const void *model, void *frame,
                    void *out);
    bool (*write)(void *context, int64_t number, const void *out);
    void (*release_model)(void *model);
    /* Prints an error of the pipeline itself. */
    void (*report)(void *context, const char *cause);
} FrameStages;

/* Runs until `read` sets *end. *frames becomes the number of frames that were written. */
bool frame_pipeline_run(const FrameStages *stages, int workers, int64_t *frames);

#endif
