/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a device: buffers that are kept for reuse, and memory of the host for fast copies.
 */
#include "opencl_memory.h"

#include <assert.h>

/* Images after which a buffer that none of them has used is freed. */
#define MAX_AGE 4

static size_t padded(size_t size)
{
    return size < 4 ? 4 : size;
}

/* Takes a kept buffer of that size. */
static bool take_kept(CofiDevice *d, size_t size, CofclBuffer *buffer)
{
    for (int i = 0; i < COFCL_KEPT_BUFFERS; i++)
        if (d->kept[i].buffer.memory && d->kept[i].buffer.size == size) {
            *buffer = d->kept[i].buffer;
            d->kept[i] = (CofclKeptBuffer){0};
            return true;
        }
    return false;
}

static void release(CofiDevice *d, const CofclBuffer *buffer)
{
    d->cl->clReleaseMemObject(buffer->memory);
    d->used -= buffer->size;
}

/* Frees kept buffers of at least that age; returns their number. */
static int free_kept(CofiDevice *d, int age)
{
    int n = 0;
    for (int i = 0; i < COFCL_KEPT_BUFFERS; i++)
        if (d->kept[i].buffer.memory && d->kept[i].images >= age) {
            release(d, &d->kept[i].buffer);
            d->kept[i] = (CofclKeptBuffer){0};
            n++;
        }
    return n;
}

static CofStatus create_buffer(CofiDevice *d, ClBits flags, size_t size, CofclBuffer *buffer)
{
    ClInt error = CLI_SUCCESS;
    *buffer = (CofclBuffer){.size = size};
    if (size > d->found.largest_buffer)
        return COF_ERR_MEMORY;
    buffer->memory = d->cl->clCreateBuffer(d->context, flags, size, NULL, &error);
    return buffer->memory ? COF_OK : error == CLI_SUCCESS ? COF_ERR_MEMORY : cofcl_status(error);
}

/* Drivers may put off taking memory until it is used, when it is too late: so much is taken at
 * most, which leaves some for others. */
uint64_t cofcl_memory_limit(const CofiDevice *d)
{
    return d->found.info.memory - d->found.info.memory / 16;
}

/* A buffer of the memory of the device. */
static CofStatus take_buffer(CofiDevice *d, size_t size, CofclBuffer *buffer)
{
    if (d->used + size > cofcl_memory_limit(d))
        return COF_ERR_MEMORY;
    CofStatus status = create_buffer(d, CLI_MEM_READ_WRITE, size, buffer);
    d->used += status == COF_OK ? size : 0;
    return status;
}

CofStatus cofcl_buffer_new(CofiDevice *d, size_t size, CofclBuffer *buffer)
{
    assert(!buffer->memory);
    if (take_kept(d, padded(size), buffer))
        return COF_OK;
    CofStatus status = take_buffer(d, padded(size), buffer);
    if (status != COF_ERR_MEMORY || free_kept(d, 0) == 0)
        return status;
    return take_buffer(d, padded(size), buffer);
}

void cofcl_buffer_free(CofiDevice *d, CofclBuffer *buffer)
{
    int slot = 0;
    while (slot < COFCL_KEPT_BUFFERS && d->kept[slot].buffer.memory)
        slot++;
    if (buffer->memory && slot < COFCL_KEPT_BUFFERS)
        d->kept[slot] = (CofclKeptBuffer){.buffer = *buffer};
    else if (buffer->memory)
        release(d, buffer);
    *buffer = (CofclBuffer){0};
}

void cofcl_buffers_age(CofiDevice *d)
{
    for (int i = 0; i < COFCL_KEPT_BUFFERS; i++)
        d->kept[i].images++;
    (void)free_kept(d, MAX_AGE);
}

static void free_staging(CofiDevice *d, CofclStaging *s)
{
    if (s->bytes) {
        (void)d->cl->clEnqueueUnmapMemObject(d->queue, s->buffer.memory, s->bytes, 0, NULL, NULL);
        (void)d->cl->clFinish(d->queue);
    }
    if (s->buffer.memory)
        d->cl->clReleaseMemObject(s->buffer.memory);
    *s = (CofclStaging){0};
}

static CofStatus new_staging(CofiDevice *d, CofclStaging *s, size_t size)
{
    ClInt error = CLI_SUCCESS;
    CofStatus status =
        create_buffer(d, CLI_MEM_READ_WRITE | CLI_MEM_ALLOC_HOST_PTR, size, &s->buffer);
    if (status != COF_OK)
        return status;
    s->bytes =
        d->cl->clEnqueueMapBuffer(d->queue, s->buffer.memory, 1, CLI_MAP_READ | CLI_MAP_WRITE, 0,
                                  size, 0, NULL, NULL, &error);
    return error != CLI_SUCCESS ? cofcl_status(error) : s->bytes ? COF_OK : COF_ERR_UNSUPPORTED;
}

static CofStatus take_staging(CofiDevice *d, CofclStaging *s, size_t size, uint8_t **bytes)
{
    CofStatus status = s->busy ? cofcl_finish(d) : COF_OK;
    s->busy = false;
    size = padded(size);
    /* Much more than is needed is not kept. */
    if (status == COF_OK && (!s->bytes || s->buffer.size < size || s->buffer.size / 4 > size)) {
        free_staging(d, s);
        status = new_staging(d, s, size);
    }
    if (status != COF_OK)
        free_staging(d, s);
    *bytes = s->bytes;
    return status;
}

CofStatus cofcl_staging(CofiDevice *d, size_t size, uint8_t **bytes)
{
    return take_staging(d, &d->staging, size, bytes);
}

CofStatus cofcl_shadow(CofiDevice *d, size_t size, uint8_t **bytes)
{
    return take_staging(d, &d->shadow, size, bytes);
}

/* A rectangle of a buffer of the caller: its origin and size, in bytes. */
typedef struct BufferRect {
    size_t origin[3], region[3];
} BufferRect;

static BufferRect rect_of(const CofiDeviceBuffer *buffer)
{
    return (BufferRect){{buffer->offset % buffer->stride, buffer->offset / buffer->stride, 0},
                        {buffer->row_bytes, (size_t)buffer->rows, 1}};
}

/* The last row is read by itself: some drivers refuse rows that end in the buffer if the space
 * between two rows, added once more, would not. */
CofStatus cofcl_read_buffer(CofiDevice *d, const CofiDeviceBuffer *from, uint8_t *bytes,
                            size_t stride)
{
    BufferRect rect = rect_of(from);
    const size_t start[3] = {0, 0, 0}, before = (size_t)from->rows - 1;
    CofStatus status = COF_OK;
    rect.region[1] = before;
    if (before > 0)
        status = cofcl_status(d->cl->clEnqueueReadBufferRect(d->queue, from->memory, 0, rect.origin,
                                                             start, rect.region, from->stride, 0,
                                                             stride, 0, bytes, 0, NULL, NULL));
    if (status != COF_OK)
        return status;
    status = cofcl_status(
        d->cl->clEnqueueReadBuffer(d->queue, from->memory, 1, from->offset + before * from->stride,
                                   from->row_bytes, bytes + before * stride, 0, NULL, NULL));
    if (status != COF_OK)
        (void)cofcl_finish(d); /* nothing is written to the host after this */
    return status;
}

CofStatus cofcl_write_buffer(CofiDevice *d, const CofiDeviceBuffer *to, const uint8_t *bytes)
{
    BufferRect rect = rect_of(to);
    const size_t start[3] = {0, 0, 0};
    return cofcl_status(d->cl->clEnqueueWriteBufferRect(d->queue, to->memory, 1, rect.origin, start,
                                                        rect.region, to->stride, 0, to->row_bytes,
                                                        0, bytes, 0, NULL, NULL));
}

CofStatus cofcl_copy_rect(CofiDevice *d, const CofiDeviceBuffer *from, const CofiDeviceBuffer *to)
{
    BufferRect source = rect_of(from), target = rect_of(to);
    return cofcl_status(d->cl->clEnqueueCopyBufferRect(
        d->queue, from->memory, to->memory, source.origin, target.origin, source.region,
        from->stride, 0, to->stride, 0, 0, NULL, NULL));
}

CofStatus cofcl_send(CofiDevice *d, ClMemory buffer, size_t from, size_t size)
{
    CofclStaging *s = &d->staging;
    assert(from + size <= s->buffer.size);
    s->busy = true;
    CofStatus status = cofcl_status(d->cl->clEnqueueWriteBuffer(d->queue, buffer, 0, from, size,
                                                                s->bytes + from, 0, NULL, NULL));
    return status == COF_OK ? cofcl_status(d->cl->clFlush(d->queue)) : status;
}

CofStatus cofcl_fetch(CofiDevice *d, ClMemory buffer, size_t from, size_t size)
{
    CofclStaging *s = &d->staging;
    assert(from + size <= s->buffer.size);
    CofStatus status = cofcl_status(d->cl->clEnqueueReadBuffer(d->queue, buffer, 1, from, size,
                                                               s->bytes + from, 0, NULL, NULL));
    s->busy = false; /* the queue is in order */
    return status;
}

void cofcl_memory_free(CofiDevice *d)
{
    (void)free_kept(d, 0);
    free_staging(d, &d->staging);
    free_staging(d, &d->shadow);
}
