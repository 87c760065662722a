/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of the fast filter on a device. */
#include "opencl_fast.h"

#include <assert.h>

#include "opencl_fast_program.h"
#include "opencl_memory.h"

/* Rows of cells are splatted and sliced together as long as they do not need more than this, and a
 * small part of the memory. */
#define MAX_CELL_BYTES ((size_t)256 << 20)
#define MEMORY_PART 8

size_t cofcl_most_cells(const CofiDevice *d)
{
    uint64_t part = d->found.info.memory / MEMORY_PART;
    return part < MAX_CELL_BYTES ? (size_t)part : MAX_CELL_BYTES;
}

/* Pixels of a tile, along one axis. */
static int tile_pixels(int step)
{
    return TILE_CELLS_OF(step) * step;
}

bool cofcl_can_be_fast(const CofiDevice *d, int step, int radius)
{
    size_t sliced = (size_t)TILE_CELLS_OF(step) + 1, seen = sliced + 2 * (size_t)radius;
    size_t cells = SLICE_TERMS * seen * seen * 4 * sizeof(float);
    size_t pixels = (size_t)(tile_pixels(step) * tile_pixels(step)) + SLICE_ITEMS;
    size_t rest = (SLICE_TERMS * (FAST_LABELS + FEW_LABELS) + FEW_LABELS + 2 * SLICE_ITEMS + 2) *
                  sizeof(float);
    return cells + rest + pixels * sizeof(uint16_t) <= d->found.local_memory;
}

/* The cell whose centre lies at or before a pixel of the full image. */
static int cell_of(int pixel, int step)
{
    int twice = 2 * pixel - (step - 1), size = 2 * step;
    return twice >= 0 ? twice / size : -((-twice + size - 1) / size);
}

/* The first cell of the tile that holds a cell. Tiles lie where they would in the full image,
 * however its rows are divided. */
static int tile_start(int cell, int tile)
{
    int beyond = cell % tile;
    return cell - (beyond < 0 ? beyond + tile : beyond);
}

/* Writes a table to a buffer that is as large. */
static CofStatus send_table(CofiDevice *d, const float *table, size_t n, CofclBuffer *buffer)
{
    if (buffer->memory && buffer->size != n * sizeof *table)
        cofcl_buffer_free(d, buffer);
    CofStatus status = buffer->memory ? COF_OK : cofcl_buffer_new(d, n * sizeof *table, buffer);
    return status == COF_OK ? cofcl_write(d, buffer->memory, table, n * sizeof *table) : status;
}

/* Rows of cells that are splatted together. */
static int strip_cells(const CofiDevice *d, const CofiDeviceFast *fast, int cells_wide)
{
    size_t row = (size_t)fast->terms * (size_t)cells_wide * 4 * sizeof(float);
    size_t rows = cofcl_most_cells(d) / row, beside = 2 * (size_t)fast->radius + 1;
    size_t tile = (size_t)TILE_CELLS_OF(fast->step);
    size_t whole = rows > beside ? (rows - beside) / tile * tile : 0;
    return (int)(whole < tile ? tile : whole);
}

/* Tiles of a pass, also where its rows are divided. */
static size_t most_sums(const CofiDevicePass *p, int height)
{
    int tile = tile_pixels(p->fast->step);
    size_t wide = (size_t)(p->rect.width / tile + 3);
    return wide * (size_t)(4 * (height / tile) + 4);
}

/* The sum of all terms for each pair of labels, that of the neighbour first. Large palettes, whose
 * terms are labels, do not use it. */
static CofStatus send_joint(CofiDevice *d, const CofiDeviceFast *fast, CofclBuffer *buffer)
{
    float joint[FEW_LABELS * FEW_LABELS];
    for (int b = 0; b < FEW_LABELS; b++) {
        double sums[FEW_LABELS] = {0};
        for (int term = 0; term < fast->terms && term < FEW_LABELS; term++) {
            double factor = fast->each ? term == b : (double)fast->in[term * FEW_LABELS + b];
            for (int a = 0; a < FEW_LABELS; a++)
                sums[a] += factor * (double)fast->out[term * FAST_LABELS + a];
        }
        for (int a = 0; a < FEW_LABELS; a++)
            joint[b * FEW_LABELS + a] = (float)sums[a];
    }
    return send_table(d, joint, FEW_LABELS * FEW_LABELS, buffer);
}

CofStatus cofcl_fast_start(CofiDeviceImage *image)
{
    CofiDevice *d = image->device;
    const CofiDeviceFast *fast = image->pass.fast;
    size_t terms = (size_t)fast->terms, sums = most_sums(&image->pass, image->view.height);
    CofStatus status = send_table(d, fast->taps, (size_t)fast->radius + 1, &image->taps);
    if (status == COF_OK)
        status = send_table(d, fast->each ? fast->out : fast->in,
                            terms * (fast->each ? 1 : FEW_LABELS), &image->in);
    if (status == COF_OK)
        status = send_table(d, fast->out, terms * FAST_LABELS, &image->out);
    if (status == COF_OK)
        status = send_joint(d, fast, &image->joint);
    if (status == COF_OK)
        status = send_table(d, fast->trust, FAST_LABELS, &image->trust);
    if (status == COF_OK && image->groups < sums) {
        cofcl_buffer_free(d, &image->sums);
        status = cofcl_buffer_new(d, sums * sizeof(float), &image->sums);
        image->groups = status == COF_OK ? sums : 0;
    }
    image->used_sums = 0;
    return status;
}

static CofStatus run(CofiDevice *d, ClKernel kernel, size_t items, size_t wide, size_t high,
                     const char *types, ...)
{
    va_list list;
    va_start(list, types);
    CofStatus status = cofcl_run_kernel(d, kernel, items, wide, high, types, list);
    va_end(list);
    return status;
}

static CofStatus take_cells(CofiDeviceImage *image, const FastShape *fast)
{
    size_t bytes = (size_t)fast->terms * (size_t)fast->cells_wide * (size_t)fast->cells_high * 4 *
                   sizeof(float);
    if (image->cells.memory && image->cells.size >= bytes)
        return COF_OK;
    cofcl_buffer_free(image->device, &image->cells);
    return cofcl_buffer_new(image->device, bytes, &image->cells);
}

/* Splats to a strip of cells, and slices the pixels between them. */
static CofStatus filter_strip(CofiDeviceImage *image, const CofclFastProgram *program,
                              PassShape shape, const FastShape *fast, int wide, int high)
{
    CofiDevice *d = image->device;
    shape.first_sum = (int)image->used_sums;
    image->used_sums += (size_t)wide * (size_t)high;
    assert(image->used_sums <= image->groups);
    bool splats_itself = SPLATS_ITSELF(image->pass.fast->step);
    CofStatus status = splats_itself ? COF_OK : take_cells(image, fast);
    if (status == COF_OK && !splats_itself)
        status = run(d, program->splat, ITEMS, cofcl_groups((size_t)fast->cells_wide),
                     (size_t)fast->cells_high, "mmmmssm", image->values.memory, cofcl_labels(image),
                     image->alphas.memory, image->in.memory, sizeof shape, &shape, sizeof *fast,
                     fast, image->cells.memory);
    if (status == COF_OK)
        status = run(d, program->slice, SLICE_ITEMS, (size_t)wide, (size_t)high, "mmmmmmmmmmmssmmm",
                     splats_itself ? image->in.memory : image->cells.memory, image->values.memory,
                     cofcl_labels(image), image->alphas.memory, image->matrix.memory,
                     image->gauss.memory, image->in.memory, image->out.memory, image->joint.memory,
                     image->trust.memory, image->taps.memory, sizeof shape, &shape, sizeof *fast,
                     fast, image->filtered.memory, image->changed.memory, image->sums.memory);
    return status;
}

CofStatus cofcl_fast_rows(CofiDeviceImage *image, PassShape shape)
{
    CofiDevice *d = image->device;
    const CofiDeviceFast *fast = image->pass.fast;
    const CofclFastProgram *program = cofcl_fast_program(d, fast->step, fast->radius);
    int step = fast->step, tile = TILE_CELLS_OF(step), beside = 2 * fast->radius + 1;
    int left = tile_start(cell_of(shape.view_x + shape.x, step), tile),
        right = cell_of(shape.view_x + shape.x + shape.columns - 1, step),
        top = tile_start(cell_of(shape.view_y + shape.first, step), tile),
        bottom = cell_of(shape.view_y + shape.end - 1, step);
    FastShape cells = {.terms = fast->terms,
                       .each = fast->each,
                       .cell_x = left - fast->radius,
                       .cells_wide = right - left + 1 + beside};
    int strip = strip_cells(d, fast, cells.cells_wide), wide = (right - left) / tile + 1;
    CofStatus status = program ? COF_OK : COF_ERR_UNSUPPORTED;
    for (int row = top; row <= bottom && status == COF_OK; row += strip) {
        int rows = bottom - row + 1 < strip ? bottom - row + 1 : strip;
        cells.cell_y = row - fast->radius;
        cells.cells_high = rows + beside;
        PassShape part = shape;
        /* Pixels between rows of cells of this strip. */
        int first = row * step + step / 2 - shape.view_y, end = first + rows * step;
        part.first = first > shape.first ? first : shape.first;
        part.end = end < shape.end ? end : shape.end;
        status = filter_strip(image, program, part, &cells, wide, (rows - 1) / tile + 1);
    }
    return status;
}
