/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts pairs of labels on a device. */
#include "opencl_count.h"

#include <assert.h>
#include <stdlib.h>

#include "opencl_image.h"
#include "opencl_memory.h"

#define MAX_LABELS 256

/* Work-groups that share the columns, and the rows, of the histogram. */
#define HISTOGRAM_WIDE 4
#define HISTOGRAM_HIGH 256

/* Copies a plane of the map, whose rows are padded, to a new buffer. */
static CofStatus send_plane(CofiDevice *d, const uint8_t *plane, CofclBuffer *buffer)
{
    const CofiDeviceCount *count = &d->counting.count;
    size_t origin[3] = {0, 0, 0}, width = (size_t)count->width, stride = (size_t)count->stride;
    size_t region[3] = {width, (size_t)count->height, 1};
    CofStatus status = cofcl_buffer_new(d, width * region[1], buffer);
    if (status != COF_OK)
        return status;
    return cofcl_status(d->cl->clEnqueueWriteBufferRect(d->queue, buffer->memory, 1, origin, origin,
                                                        region, width, 0, stride, 0, plane, 0, NULL,
                                                        NULL));
}

static CofStatus clear_sums(CofiDevice *d)
{
    CofclCounting *c = &d->counting;
    CofStatus status = cofcl_clear(d, c->pairs.memory, c->n_pairs * sizeof(uint32_t));
    return status == COF_OK ? cofcl_clear(d, c->histogram.memory, MAX_LABELS * sizeof(uint32_t))
                            : status;
}

/* Sends the distance of each pixel of the window. This does not wait for kernels that find the
 * labels; later ones would start late. */
static CofStatus send_distances(CofiDevice *d)
{
    CofclCounting *c = &d->counting;
    int radius = c->count.radius, side = 2 * radius + 1;
    size_t size = (size_t)(side * side) * sizeof(int32_t);
    CofStatus status = cofcl_buffer_new(d, size, &c->distances);
    c->distance_table = malloc(size);
    if (status != COF_OK || !c->distance_table)
        return status != COF_OK ? status : COF_ERR_MEMORY;
    for (int i = 0; i < side * side; i++) {
        int dy = abs(i / side - radius), dx = abs(i % side - radius);
        c->distance_table[i] = c->count.distance_of[dy * (radius + 1) + dx];
    }
    c->is_counting = true;
    return cofcl_status(d->cl->clEnqueueWriteBuffer(d->queue, c->distances.memory, 0, 0, size,
                                                    c->distance_table, 0, NULL, NULL));
}

static CofStatus take_sums(CofiDevice *d)
{
    CofclCounting *c = &d->counting;
    CofStatus status = send_distances(d);
    if (status == COF_OK)
        status = cofcl_buffer_new(d, c->n_pairs * sizeof(uint32_t), &c->pairs);
    if (status == COF_OK)
        status = cofcl_buffer_new(d, MAX_LABELS * sizeof(uint32_t), &c->histogram);
    return status == COF_OK ? clear_sums(d) : status;
}

CofStatus cofcl_count_start(CofiDevice *d, const CofiDeviceCount *count)
{
    CofclCounting *c = &d->counting;
    size_t k = (size_t)count->k;
    *c = (CofclCounting){.count = *count, .n_pairs = k * k * (size_t)count->distances};
    CofStatus status = COF_OK;
    if (!count->image)
        status = send_plane(d, count->labels, &c->own_labels);
    c->labels = count->image ? cofcl_labels(count->image) : c->own_labels.memory;
    if (status == COF_OK && count->members)
        status = send_plane(d, count->members, &c->members);
    if (status == COF_OK)
        status = take_sums(d);
    if (status != COF_OK)
        cofcl_count_end(d);
    return status;
}

static CofStatus add_histogram(CofiDevice *d, CofRect rect)
{
    const CofclCounting *c = &d->counting;
    return cofcl_run(d, COFCL_HISTOGRAM, HISTOGRAM_WIDE,
                     (size_t)(rect.height < HISTOGRAM_HIGH ? rect.height : HISTOGRAM_HIGH),
                     "mmiiiiiim", c->labels, c->members.memory ? c->members.memory : c->labels,
                     c->members.memory != NULL, c->count.width, rect.x, rect.y, rect.width,
                     rect.height, c->histogram.memory);
}

CofStatus cofcl_count_add(CofiDevice *d, CofRect rect)
{
    CofclCounting *c = &d->counting;
    const CofiDeviceCount *count = &c->count;
    int left = (count->x + rect.x) >> count->across, top = (count->y + rect.y) >> count->down;
    int wide = ((count->x + rect.x + rect.width - 1) >> count->across) - left + 1;
    int high = ((count->y + rect.y + rect.height - 1) >> count->down) - top + 1;
    /* A call that is cancelled need not wait for more than what was added last. */
    CofStatus status = c->has_added ? cofcl_finish(d) : COF_OK;
    if (status == COF_OK && c->is_read)
        status = clear_sums(d);
    c->is_read = false;
    c->is_counting = c->has_added = true;
    if (status == COF_OK)
        status = add_histogram(d, rect);
    if (status != COF_OK)
        return status;
    /* Items are blocks and their turns, or groups are COUNT_BLOCKS blocks. */
    bool few = count->k <= FEW_LABELS && count->radius <= COUNT_RADIUS;
    size_t blocks = (size_t)wide * (size_t)high;
    size_t groups = few ? (blocks + COUNT_BLOCKS - 1) / COUNT_BLOCKS
                        : cofcl_groups(blocks * (size_t)count->turns);
    return cofcl_run(d, few ? COFCL_COUNT_FEW : COFCL_COUNT, groups, 2 * (size_t)count->radius + 1,
                     "mmiiiiiiiiiiiiiiimim", c->labels,
                     c->members.memory ? c->members.memory : c->labels, c->members.memory != NULL,
                     count->width, count->height, count->x, count->y, rect.x, rect.y, rect.width,
                     rect.height, count->across, count->down, count->turns, wide, wide * high,
                     count->radius, c->distances.memory, count->k, c->pairs.memory);
}

CofStatus cofcl_count_read(CofiDevice *d, uint32_t *pairs, uint32_t *histogram)
{
    CofclCounting *c = &d->counting;
    assert(!c->is_read);
    c->is_counting = true;
    CofStatus status = cofcl_status(d->cl->clEnqueueReadBuffer(
        d->queue, c->pairs.memory, 0, 0, c->n_pairs * sizeof *pairs, pairs, 0, NULL, NULL));
    if (status != COF_OK)
        return status;
    status = cofcl_read(d, c->histogram.memory, histogram, (size_t)c->count.k * sizeof *histogram);
    if (status != COF_OK)
        (void)cofcl_finish(d);
    c->is_counting = c->has_added = false;
    c->is_read = true;
    return status;
}

void cofcl_count_end(CofiDevice *d)
{
    CofclCounting *c = &d->counting;
    if (c->is_counting)
        (void)cofcl_finish(d);
    free(c->distance_table);
    c->distance_table = NULL;
    cofcl_buffer_free(d, &c->own_labels);
    cofcl_buffer_free(d, &c->members);
    cofcl_buffer_free(d, &c->distances);
    cofcl_buffer_free(d, &c->pairs);
    cofcl_buffer_free(d, &c->histogram);
    c->labels = NULL;
}
