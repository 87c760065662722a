/* SPDX-License-Identifier: BSD-2-Clause */
/* An image in the memory of a device: its bytes, labels and working values. */
#include "opencl_image.h"

#include <stdlib.h>

#define ENCODING_ENTRIES 4096
#define MAX_LABELS 256
#define MAX_SIDE 255

/* The tile of a work-group, as in cof.cl. */
#define TILE_WIDTH 32

static void count_groups(CofiDeviceImage *image)
{
    int tile_height = COFCL_ITEMS / TILE_WIDTH * image->device->pixels;
    image->groups_wide = (image->view.width - 1) / TILE_WIDTH + 1;
    image->groups =
        (size_t)image->groups_wide * (size_t)((image->view.height - 1) / tile_height + 1);
}

typedef struct NewBuffer {
    ClMemory *buffer;
    size_t size;
} NewBuffer;

static CofStatus take_buffers(CofiDevice *device, const NewBuffer *list, int n)
{
    CofStatus status = COF_OK;
    for (int i = 0; i < n && status == COF_OK; i++)
        status = cofcl_buffer_new(device, list[i].size, list[i].buffer);
    return status;
}

static CofStatus take_all(CofiDeviceImage *image)
{
    size_t n = (size_t)image->n, four = 4 * sizeof(float);
    NewBuffer list[] = {
        {&image->bytes, n * (size_t)image->view.channels},
        {&image->labels, n},
        {&image->linear, 256 * sizeof(float)},
        {&image->centres, MAX_LABELS * 3 * sizeof(float)},
        {&image->table, 256},
        {&image->encoding, ENCODING_ENTRIES * sizeof(uint32_t)},
        {&image->values, n * four},
        {&image->filtered, n * four},
        {&image->changed, n},
        {&image->matrix, MAX_LABELS * (MAX_LABELS + 1) * sizeof(float)},
        {&image->gauss, MAX_SIDE * sizeof(float)},
        {&image->sums, image->groups * sizeof(float)},
        {&image->alphas, image->view.has_alphas ? 2 * n : 0},
    };
    return take_buffers(image->device, list, image->view.filtered ? 13 : 5);
}

static CofStatus write_tables(CofiDeviceImage *image)
{
    const CofiDeviceView *view = &image->view;
    CofStatus status = COF_OK;
    if (view->linear)
        status = cofcl_write(image->device, image->linear, view->linear, 256 * sizeof(float));
    if (status == COF_OK && view->encoding)
        status = cofcl_write(image->device, image->encoding, view->encoding,
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
    ClMemory *const buffers[] = {
        &image->bytes, &image->labels, &image->linear,   &image->encoding, &image->centres,
        &image->table, &image->values, &image->filtered, &image->changed,  &image->matrix,
        &image->gauss, &image->sums,   &image->alphas,
    };
    if (image->mapped)
        (void)cofcl_unmap(image);
    (void)cofcl_finish(image->device);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        cofcl_buffer_free(image->device, buffers[i]);
    free(image);
}

CofStatus cofcl_map(CofiDeviceImage *image, bool written, uint8_t **bytes)
{
    CofiDevice *d = image->device;
    ClInt error = CLI_SUCCESS;
    ClBits flags = written ? CLI_MAP_WRITE_INVALIDATE_REGION : CLI_MAP_READ;
    size_t size = (size_t)image->n * (size_t)image->view.channels;
    *bytes =
        d->cl->clEnqueueMapBuffer(d->queue, image->bytes, 1, flags, 0, size, 0, NULL, NULL, &error);
    image->mapped = *bytes;
    return error != CLI_SUCCESS ? cofcl_status(error) : *bytes ? COF_OK : COF_ERR_UNSUPPORTED;
}

CofStatus cofcl_unmap(CofiDeviceImage *image)
{
    CofiDevice *d = image->device;
    uint8_t *mapped = image->mapped;
    image->mapped = NULL;
    return cofcl_status(
        d->cl->clEnqueueUnmapMemObject(d->queue, image->bytes, mapped, 0, NULL, NULL));
}

CofStatus cofcl_write_alphas(CofiDeviceImage *image, const uint8_t *alphas)
{
    return cofcl_write(image->device, image->alphas, alphas, 2 * (size_t)image->n);
}

CofStatus cofcl_load(CofiDeviceImage *image)
{
    return cofcl_run(image->device, COFCL_LOAD, (size_t)image->n, 1, "mmiiiimm", image->bytes,
                     image->linear, image->view.channels, image->view.bands, (int)image->view.lab,
                     image->n, image->values, image->changed);
}

CofStatus cofcl_store(CofiDeviceImage *image)
{
    return cofcl_run(image->device, COFCL_STORE, (size_t)image->n, 1, "mmmiiiim", image->values,
                     image->changed, image->encoding, image->view.channels, image->view.bands,
                     (int)image->view.lab, image->n, image->bytes);
}

CofStatus cofcl_label(CofiDeviceImage *image, const float *centres, int k, bool of_values)
{
    CofStatus status =
        cofcl_write(image->device, image->centres, centres, (size_t)k * 3 * sizeof *centres);
    if (status != COF_OK)
        return status;
    if (of_values)
        return cofcl_run(image->device, COFCL_LABEL_VALUES, (size_t)image->n, 1, "mmiim",
                         image->values, image->centres, k, image->n, image->labels);
    return cofcl_run(image->device, COFCL_LABEL_BYTES, (size_t)image->n, 1, "mmimiim", image->bytes,
                     image->linear, image->view.channels, image->centres, k, image->n,
                     image->labels);
}

CofStatus cofcl_label_grey(CofiDeviceImage *image, const uint8_t table[256])
{
    CofStatus status = cofcl_write(image->device, image->table, table, 256);
    if (status != COF_OK)
        return status;
    return cofcl_run(image->device, COFCL_LABEL_GREY, (size_t)image->n, 1, "mmiim", image->bytes,
                     image->table, image->view.channels, image->n, image->labels);
}

CofStatus cofcl_write_labels(CofiDeviceImage *image, const uint8_t *labels)
{
    return cofcl_write(image->device, image->labels, labels, (size_t)image->n);
}

CofStatus cofcl_read_labels(CofiDeviceImage *image, uint8_t *labels)
{
    return cofcl_read(image->device, image->labels, labels, (size_t)image->n);
}
