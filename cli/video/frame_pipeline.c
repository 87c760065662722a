/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames in flight. A ring of them; each goes from the reader to a worker to the writer. */
#include "video/frame_pipeline.h"

#include <glib.h>

#include "ui/error_line.h"

typedef struct Slot {
    void *frame, *out, *knowledge;
    bool done; /* worked on, and to be written */
} Slot;

struct Assembly {
    const AssemblyWork *work;
    GMutex lock;
    GCond change;
    Slot *slots;
    int n;
    int64_t read, taken, written; /* frames so far */
    bool ended, failed;
};

typedef struct Worker {
    Assembly *assembly;
    int index;
    GThread *thread;
} Worker;

static Slot *slot_of(Assembly *a, int64_t number)
{
    return &a->slots[number % a->n];
}

static void fail(Assembly *a)
{
    a->failed = true;
    g_cond_broadcast(&a->change);
}

static void *work_on(void *argument)
{
    const Worker *self = argument;
    Assembly *a = self->assembly;
    g_mutex_lock(&a->lock);
    for (;;) {
        while (a->taken == a->read && !a->ended && !a->failed)
            g_cond_wait(&a->change, &a->lock);
        if (a->failed || a->taken == a->read)
            break;
        Slot *slot = slot_of(a, a->taken++);
        g_mutex_unlock(&a->lock);
        bool ok =
            a->work->work(a->work->context, self->index, slot->knowledge, slot->frame, slot->out);
        g_mutex_lock(&a->lock);
        slot->done = ok;
        if (!ok)
            fail(a);
        g_cond_broadcast(&a->change);
    }
    g_mutex_unlock(&a->lock);
    return NULL;
}

static void forget(Assembly *a, Slot *slot)
{
    if (slot->knowledge)
        a->work->forget(slot->knowledge);
    slot->knowledge = NULL;
}

static void *write_all(void *argument)
{
    Assembly *a = argument;
    g_mutex_lock(&a->lock);
    for (;;) {
        while (!slot_of(a, a->written)->done && !(a->ended && a->written == a->read) && !a->failed)
            g_cond_wait(&a->change, &a->lock);
        if (a->failed || !slot_of(a, a->written)->done)
            break;
        Slot *slot = slot_of(a, a->written);
        g_mutex_unlock(&a->lock);
        bool ok = a->work->write(a->work->context, a->written, slot->out);
        g_mutex_lock(&a->lock);
        forget(a, slot);
        slot->done = false;
        a->written++;
        if (!ok)
            fail(a);
        g_cond_broadcast(&a->change);
    }
    g_mutex_unlock(&a->lock);
    return NULL;
}

static void read_all(Assembly *a)
{
    g_mutex_lock(&a->lock);
    while (!a->ended && !a->failed) {
        while (a->read - a->written >= a->n && !a->failed)
            g_cond_wait(&a->change, &a->lock);
        if (a->failed)
            break;
        Slot *slot = slot_of(a, a->read);
        bool end = false;
        g_mutex_unlock(&a->lock);
        bool ok = a->work->read(a->work->context, a->read, slot->frame, &slot->knowledge, &end);
        g_mutex_lock(&a->lock);
        if (!ok)
            fail(a);
        else if (end)
            a->ended = true;
        else
            a->read++;
        g_cond_broadcast(&a->change);
    }
    g_mutex_unlock(&a->lock);
}

static bool take_slots(Assembly *a)
{
    bool ok = true;
    a->slots = g_new0(Slot, (gsize)a->n);
    for (int i = 0; i < a->n && ok; i++) {
        a->slots[i].frame = g_try_malloc(a->work->bytes);
        a->slots[i].out = g_try_malloc(a->work->bytes);
        ok = a->slots[i].frame && a->slots[i].out;
    }
    if (!ok)
        complain("memory", "not enough for the frames");
    return ok;
}

static void give_back(Assembly *a)
{
    for (int i = 0; i < a->n; i++) {
        forget(a, &a->slots[i]);
        g_free(a->slots[i].frame);
        g_free(a->slots[i].out);
    }
    g_free(a->slots);
    g_mutex_clear(&a->lock);
    g_cond_clear(&a->change);
}

bool assembly_run(const AssemblyWork *work, int workers, int64_t *frames)
{
    /* While all are at work, one frame is read, one is written, and as many wait. */
    Assembly a = {.work = work, .n = workers + 4};
    g_mutex_init(&a.lock);
    g_cond_init(&a.change);
    bool ok = take_slots(&a);
    if (ok) {
        Worker *all = g_new0(Worker, (gsize)workers);
        for (int i = 0; i < workers; i++) {
            all[i] = (Worker){.assembly = &a, .index = i};
            all[i].thread = g_thread_new("cof", work_on, &all[i]);
        }
        GThread *writer = g_thread_new("cof", write_all, &a);
        read_all(&a);
        for (int i = 0; i < workers; i++)
            g_thread_join(all[i].thread);
        g_thread_join(writer);
        g_free(all);
        ok = !a.failed;
    }
    *frames = a.written;
    give_back(&a);
    return ok;
}
