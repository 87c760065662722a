/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipeline of frames: a ring of slots, each passed from the reader to a worker to the writer. */
#include "video/frame_pipeline.h"

#include <glib.h>

typedef struct Slot {
    void *frame, *out, *model;
    bool processed; /* ready to be written */
} Slot;

typedef struct FramePipeline {
    const FrameStages *stages;
    GMutex lock;
    GCond changed;
    Slot *slots;
    int n_slots;
    int64_t read, claimed, written; /* numbers of frames so far */
    bool ended, failed;
} FramePipeline;

typedef struct Worker {
    FramePipeline *pipeline;
    int index;
    GThread *thread;
} Worker;

static Slot *slot_at(FramePipeline *p, int64_t number)
{
    return &p->slots[number % p->n_slots];
}

static void fail(FramePipeline *p)
{
    p->failed = true;
    g_cond_broadcast(&p->changed);
}

static void *process_frames(void *argument)
{
    const Worker *self = argument;
    FramePipeline *p = self->pipeline;
    g_mutex_lock(&p->lock);
    for (;;) {
        while (p->claimed == p->read && !p->ended && !p->failed)
            g_cond_wait(&p->changed, &p->lock);
        if (p->failed || p->claimed == p->read)
            break;
        int64_t number = p->claimed++;
        Slot *slot = slot_at(p, number);
        g_mutex_unlock(&p->lock);
        bool ok = p->stages->process(p->stages->context, self->index, number, slot->model,
                                     slot->frame, slot->out);
        g_mutex_lock(&p->lock);
        slot->processed = ok;
        if (!ok)
            fail(p);
        g_cond_broadcast(&p->changed);
    }
    g_mutex_unlock(&p->lock);
    return NULL;
}

static void release_model(FramePipeline *p, Slot *slot)
{
    if (slot->model)
        p->stages->release_model(slot->model);
    slot->model = NULL;
}

static void *write_frames(void *argument)
{
    FramePipeline *p = argument;
    g_mutex_lock(&p->lock);
    for (;;) {
        while (!slot_at(p, p->written)->processed && !(p->ended && p->written == p->read) &&
               !p->failed)
            g_cond_wait(&p->changed, &p->lock);
        if (p->failed || !slot_at(p, p->written)->processed)
            break;
        Slot *slot = slot_at(p, p->written);
        g_mutex_unlock(&p->lock);
        bool ok = p->stages->write(p->stages->context, p->written, slot->out);
        g_mutex_lock(&p->lock);
        release_model(p, slot);
        slot->processed = false;
        p->written++;
        if (!ok)
            fail(p);
        g_cond_broadcast(&p->changed);
    }
    g_mutex_unlock(&p->lock);
    return NULL;
}

static void read_frames(FramePipeline *p)
{
    g_mutex_lock(&p->lock);
    while (!p->ended && !p->failed) {
        while (p->read - p->written >= p->n_slots && !p->failed)
            g_cond_wait(&p->changed, &p->lock);
        if (p->failed)
            break;
        Slot *slot = slot_at(p, p->read);
        bool end = false;
        g_mutex_unlock(&p->lock);
        bool ok = p->stages->read(p->stages->context, p->read, slot->frame, &slot->model, &end);
        g_mutex_lock(&p->lock);
        if (!ok)
            fail(p);
        else if (end)
            p->ended = true;
        else
            p->read++;
        g_cond_broadcast(&p->changed);
    }
    g_mutex_unlock(&p->lock);
}

static bool allocate_slots(FramePipeline *p)
{
    bool ok = true;
    p->slots = g_new0(Slot, (gsize)p->n_slots);
    for (int i = 0; i < p->n_slots && ok; i++) {
        p->slots[i].frame = g_try_malloc(p->stages->frame_bytes);
        p->slots[i].out = g_try_malloc(p->stages->frame_bytes);
        ok = p->slots[i].frame && p->slots[i].out;
    }
    if (!ok)
        p->stages->report(p->stages->context, "not enough memory for the frames");
    return ok;
}

static void free_pipeline(FramePipeline *p)
{
    for (int i = 0; i < p->n_slots; i++) {
        release_model(p, &p->slots[i]);
        g_free(p->slots[i].frame);
        g_free(p->slots[i].out);
    }
    g_free(p->slots);
    g_mutex_clear(&p->lock);
    g_cond_clear(&p->changed);
}

bool frame_pipeline_run(const FrameStages *stages, int workers, int64_t *frames)
{
    /* While every worker has a frame, one more is read, one is written, and two wait. */
    FramePipeline p = {.stages = stages, .n_slots = workers + 4};
    g_mutex_init(&p.lock);
    g_cond_init(&p.changed);
    bool ok = allocate_slots(&p);
    if (ok) {
        Worker *threads = g_new0(Worker, (gsize)workers);
        for (int i = 0; i < workers; i++) {
            threads[i] = (Worker){.pipeline = &p, .index = i};
            threads[i].thread = g_thread_new("cof", process_frames, &threads[i]);
        }
        GThread *writer = g_thread_new("cof", write_frames, &p);
        read_frames(&p);
        for (int i = 0; i < workers; i++)
            g_thread_join(threads[i].thread);
        g_thread_join(writer);
        g_free(threads);
        ok = !p.failed;
    }
    *frames = p.written;
    free_pipeline(&p);
    return ok;
}
