/* SPDX-License-Identifier: BSD-2-Clause */
/* An image in the memory of a device: its samples, labels and working values. */
#include "opencl_image.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "opencl_fast.h"
#include "opencl_memory.h"

#define ENCODING_ENTRIES 4096
#define MAX_LABELS 256
#define MAX_SIDE 255

static void count_groups(CofiDeviceImage *image)
{
    int tile_height = PASS_ITEMS / TILE_WIDTH * image->device->pixels;
    image->groups_wide = (image->view.width - 1) / TILE_WIDTH + 1;
    image->groups =
        (size_t)image->groups_wide * (size_t)((image->view.height - 1) / tile_height + 1);
}

typedef struct NewBuffer {
    CofclBuffer *buffer;
    size_t size;
} NewBuffer;

static size_t sample_size(CofSample sample)
{
    return sample == COF_SAMPLE_U8 ? 1 : sample == COF_SAMPLE_U16 ? 2 : 4;
}

static size_t pixel_size(const CofiDeviceImage *image)
{
    return (size_t)image->view.channels * sample_size(image->view.sample);
}

static bool is_wide(const CofiDeviceImage *image)
{
    return image->view.sample != COF_SAMPLE_U8;
}

static int is_float(const CofiDeviceImage *image)
{
    return image->view.sample == COF_SAMPLE_F32;
}

/* The table of the linear light of all integers; floats have none. */
static size_t linear_size(const CofiDeviceImage *image)
{
    return (image->view.sample == COF_SAMPLE_U16 ? 65536 : 256) * sizeof(float);
}

/* As in find_alphas() of kernels/alphas.cl. */
static size_t alphas_size(const CofiDeviceImage *image)
{
    size_t n = (size_t)image->n, bytes = (size_t)image->view.alpha_bytes;
    return bytes > 0 ? (n + 3) / 4 * 4 + bytes * n : 0;
}

#define MAX_BUFFERS (17 + COF_MAX_PALETTES)

/* Lists the buffers of an image; returns their number. */
static int list_buffers(CofiDeviceImage *image, NewBuffer list[MAX_BUFFERS])
{
    const CofiDeviceView *view = &image->view;
    size_t n = (size_t)image->n, four = 4 * sizeof(float), averaged = view->members > 1 ? n : 0;
    const NewBuffer all[] = {
        {&image->bytes, n * pixel_size(image)},
        {&image->linear, linear_size(image)},
        {&image->centres, MAX_LABELS * 3 * sizeof(float)},
        {&image->table, 256},
        {&image->encoding, ENCODING_ENTRIES * sizeof(uint32_t)},
        {&image->values, n * four},
        {&image->filtered, n * four},
        {&image->changed, n},
        {&image->matrix, MAX_LABELS * (MAX_LABELS + 1) * sizeof(float)},
        {&image->gauss, MAX_SIDE * sizeof(float)},
        {&image->sums, image->groups * sizeof(float)},
        {&image->alphas, alphas_size(image)},
        {&image->histogram, COFCL_HISTOGRAM_SIZE * sizeof(uint32_t)},
        {&image->kept, view->keeps ? n * four : 0},
        {&image->mean, averaged * four},
        {&image->counts, averaged},
        {&image->original, view->refined ? n * four : 0},
    };
    int length = view->filtered ? 17 : 4;
    memcpy(list, all, (size_t)length * sizeof *list);
    for (int i = 0; i < view->members; i++)
        list[length++] = (NewBuffer){&image->labels[i], n};
    return length;
}

static CofStatus take_all(CofiDeviceImage *image)
{
    NewBuffer list[MAX_BUFFERS];
    int n = list_buffers(image, list);
    CofStatus status = COF_OK;
    for (int i = 0; i < n && status == COF_OK; i++)
        status = cofcl_buffer_new(image->device, list[i].size, list[i].buffer);
    return status;
}

/* The bytes of all buffers of an image of n pixels, and of the largest one. */
static uint64_t bytes_of(CofiDevice *device, const CofiDeviceView *view, int n, uint64_t *largest)
{
    CofiDeviceImage image = {.device = device, .view = *view, .n = n};
    NewBuffer list[MAX_BUFFERS];
    uint64_t sum = 0;
    int length = list_buffers(&image, list);
    *largest = 0;
    for (int i = 0; i < length; i++) {
        sum += list[i].size;
        *largest = list[i].size > *largest ? list[i].size : *largest;
    }
    return sum;
}

int64_t cofcl_max_pixels(CofiDevice *device, const CofiDeviceView *view)
{
    enum { MANY = 1 << 20 }; /* pixels, whose tables do not matter */
    uint64_t largest, largest_of_many;
    uint64_t tables = bytes_of(device, view, 0, &largest) + 2 * cofcl_most_cells(device);
    uint64_t many = bytes_of(device, view, MANY, &largest_of_many), limit;
    limit = cofcl_memory_limit(device);
    if (limit < tables || device->found.largest_buffer < largest)
        return 0;
    /* A little more for sums of groups. */
    uint64_t by_memory = (limit - tables) / (many / MANY + 2),
             by_buffer = device->found.largest_buffer / (largest_of_many / MANY);
    uint64_t pixels = by_memory < by_buffer ? by_memory : by_buffer;
    return pixels < COFI_DEVICE_PIXELS ? (int64_t)pixels : COFI_DEVICE_PIXELS;
}

static CofStatus write_tables(CofiDeviceImage *image)
{
    const CofiDeviceView *view = &image->view;
    CofStatus status = COF_OK;
    if (view->linear)
        status = cofcl_write(image->device, image->linear.memory, view->linear, linear_size(image));
    if (status == COF_OK && view->encoding)
        status = cofcl_write(image->device, image->encoding.memory, view->encoding,
                             ENCODING_ENTRIES * sizeof(uint32_t));
    return status;
}

CofStatus cofcl_image_new(CofiDevice *device, const CofiDeviceView *view, CofiDeviceImage **image)
{
    CofiDeviceImage *new = calloc(1, sizeof *new);
    if (!new)
        return COF_ERR_MEMORY;
    *new = (CofiDeviceImage){.device = device, .view = *view, .n = view->width * view->height};
    count_groups(new);
    CofStatus status = take_all(new);
    if (status == COF_OK)
        status = write_tables(new);
    if (status == COF_OK)
        *image = new;
    else
        cofcl_image_free(new);
    return status;
}

void cofcl_image_free(CofiDeviceImage *image)
{
    CofclBuffer *const buffers[] = {
        &image->bytes,  &image->linear,    &image->encoding, &image->centres, &image->table,
        &image->values, &image->filtered,  &image->changed,  &image->matrix,  &image->gauss,
        &image->sums,   &image->alphas,    &image->cells,    &image->in,      &image->out,
        &image->joint,  &image->trust,     &image->taps,     &image->kept,    &image->mean,
        &image->counts, &image->histogram, &image->original,
    };
    (void)cofcl_finish(image->device);
    for (int i = 0; i < image->view.members; i++)
        cofcl_buffer_free(image->device, &image->labels[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        cofcl_buffer_free(image->device, buffers[i]);
    cofcl_buffers_age(image->device);
    free(image);
}

static size_t row_size(const CofiDeviceImage *image)
{
    return (size_t)image->view.width * pixel_size(image);
}

CofStatus cofcl_stage(CofiDeviceImage *image, uint8_t **bytes)
{
    return cofcl_staging(image->device, (size_t)image->view.height * row_size(image), bytes);
}

CofStatus cofcl_send_rows(CofiDeviceImage *image, int first, int last)
{
    return cofcl_send(image->device, image->bytes.memory, (size_t)first * row_size(image),
                      (size_t)(last - first) * row_size(image));
}

CofStatus cofcl_fetch_rows(CofiDeviceImage *image, int first, int last)
{
    return cofcl_fetch(image->device, image->bytes.memory, (size_t)first * row_size(image),
                       (size_t)(last - first) * row_size(image));
}

/* A part of the packed pixels that is as large as a rectangle of a buffer. */
static CofiDeviceBuffer packed_part(const CofiDeviceImage *image, const CofiDeviceBuffer *like,
                                    int x, int y)
{
    CofiDeviceBuffer part = *like;
    part.memory = image->bytes.memory;
    part.stride = row_size(image);
    part.offset = (size_t)y * part.stride + (size_t)x * pixel_size(image);
    return part;
}

CofStatus cofcl_copy_in(CofiDeviceImage *image, const CofiDeviceBuffer *from)
{
    CofiDeviceBuffer to = packed_part(image, from, 0, 0);
    return cofcl_copy_rect(image->device, from, &to);
}

CofStatus cofcl_copy_out(CofiDeviceImage *image, const CofiDeviceBuffer *to, int x, int y)
{
    CofiDeviceBuffer from = packed_part(image, to, x, y);
    CofStatus status = cofcl_copy_rect(image->device, &from, to);
    return status == COF_OK ? cofcl_finish(image->device) : status;
}

void cofcl_choose(CofiDeviceImage *image, int member)
{
    assert(member >= 0 && member < image->view.members);
    image->member = member;
}

CofStatus cofcl_load(CofiDeviceImage *image)
{
    if (is_wide(image))
        return cofcl_run(image->device, COFCL_LOAD_WIDE, cofcl_groups((size_t)image->n), 1,
                         "mimiiiimm", image->bytes.memory, is_float(image), image->linear.memory,
                         image->view.channels, image->view.bands, (int)image->view.lab, image->n,
                         image->values.memory, image->changed.memory);
    return cofcl_run(image->device, COFCL_LOAD, cofcl_groups((size_t)image->n), 1, "mmiiiimm",
                     image->bytes.memory, image->linear.memory, image->view.channels,
                     image->view.bands, (int)image->view.lab, image->n, image->values.memory,
                     image->changed.memory);
}

CofStatus cofcl_store(CofiDeviceImage *image, double detail)
{
    if (is_wide(image))
        return cofcl_run(image->device, COFCL_STORE_WIDE, cofcl_groups((size_t)image->n), 1,
                         "mmimfiiiim", image->values.memory, image->changed.memory, is_float(image),
                         image->linear.memory, detail, image->view.channels, image->view.bands,
                         (int)image->view.lab, image->n, image->bytes.memory);
    return cofcl_run(image->device, COFCL_STORE, cofcl_groups((size_t)image->n), 1, "mmmmfiiiim",
                     image->values.memory, image->changed.memory, image->linear.memory,
                     image->encoding.memory, detail, image->view.channels, image->view.bands,
                     (int)image->view.lab, image->n, image->bytes.memory);
}

CofStatus cofcl_load_and_label(CofiDeviceImage *image, const float *centres, int k)
{
    CofStatus status = is_wide(image) ? cofcl_load(image) : COF_OK;
    if (status != COF_OK || is_wide(image))
        return status == COF_OK ? cofcl_label(image, centres, k, true) : status;
    status =
        cofcl_write(image->device, image->centres.memory, centres, (size_t)k * 3 * sizeof *centres);
    if (status != COF_OK)
        return status;
    return cofcl_run(image->device, COFCL_LOAD_AND_LABEL, cofcl_groups((size_t)image->n), 1,
                     "mmimiimmm", image->bytes.memory, image->linear.memory, image->view.channels,
                     image->centres.memory, k, image->n, image->values.memory,
                     image->changed.memory, cofcl_labels(image));
}

CofStatus cofcl_label(CofiDeviceImage *image, const float *centres, int k, bool of_values)
{
    CofStatus status =
        cofcl_write(image->device, image->centres.memory, centres, (size_t)k * 3 * sizeof *centres);
    if (status != COF_OK)
        return status;
    if (of_values)
        return cofcl_run(image->device, COFCL_LABEL_VALUES, cofcl_groups((size_t)image->n), 1,
                         "mmiim", image->values.memory, image->centres.memory, k, image->n,
                         cofcl_labels(image));
    if (is_wide(image))
        return cofcl_run(image->device, COFCL_LABEL_WIDE, cofcl_groups((size_t)image->n), 1,
                         "mimimiim", image->bytes.memory, is_float(image), image->linear.memory,
                         image->view.channels, image->centres.memory, k, image->n,
                         cofcl_labels(image));
    return cofcl_run(image->device, COFCL_LABEL_BYTES, cofcl_groups((size_t)image->n), 1, "mmimiim",
                     image->bytes.memory, image->linear.memory, image->view.channels,
                     image->centres.memory, k, image->n, cofcl_labels(image));
}

CofStatus cofcl_label_grey(CofiDeviceImage *image, const uint8_t table[256])
{
    CofStatus status = cofcl_write(image->device, image->table.memory, table, 256);
    if (status != COF_OK)
        return status;
    return cofcl_run(image->device, COFCL_LABEL_GREY, cofcl_groups((size_t)image->n), 1, "mmiim",
                     image->bytes.memory, image->table.memory, image->view.channels, image->n,
                     cofcl_labels(image));
}

CofStatus cofcl_label_bins(CofiDeviceImage *image, double low, double high, int k)
{
    return cofcl_run(image->device, COFCL_LABEL_BINS, cofcl_groups((size_t)image->n), 1, "miiddiim",
                     image->bytes.memory, is_float(image), image->view.channels, low, high, k,
                     image->n, cofcl_labels(image));
}

CofStatus cofcl_write_labels(CofiDeviceImage *image, const uint8_t *labels)
{
    return cofcl_write(image->device, cofcl_labels(image), labels, (size_t)image->n);
}

CofStatus cofcl_read_labels(CofiDeviceImage *image, uint8_t *labels)
{
    return cofcl_read(image->device, cofcl_labels(image), labels, (size_t)image->n);
}
