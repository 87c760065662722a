/* SPDX-License-Identifier: BSD-2-Clause */
/* Features of the first rows of an image, which threads find that have nothing else to do while the
 * palette is sought. */
#include "learn/early_features.h"

#include "image/image.h"
#include "learn/label_row.h"

/* Of 32 colours, two seedings are tried, which takes two threads as long as the others need for
 * about so many pixels each. */
#define BUSY_THREADS 2
#define PIXELS_PER_THREAD 73728

static int rows_for(const CofiCall *call, const CofImage *image)
{
    int64_t pixels = (int64_t)(call->threads - BUSY_THREADS) * PIXELS_PER_THREAD;
    return pixels / image->width < image->height ? (int)(pixels / image->width) : image->height;
}

bool cofi_early_features_pay(const CofiCall *call, const CofImage *image)
{
    return COFI_HAS_THREADS && call->threads > BUSY_THREADS &&
           cofi_family(image->kind) == COF_KIND_RGB && rows_for(call, image) >= COFI_TOGETHER;
}

/* The planes of a row. */
static void row_planes(const CofiEarlyFeatures *early, int y, float **planes)
{
    int bands = cofi_bands(early->image), block = y / COFI_TOGETHER, row = y % COFI_TOGETHER;
    for (int band = 0; band < bands; band++)
        planes[band] = early->planes +
                       ((ptrdiff_t)(block * bands + band) * COFI_TOGETHER + row) * early->stride;
}

static void find_row(void *context, int y, int worker)
{
    (void)worker;
    const CofiEarlyFeatures *early = context;
    float *planes[COF_MAX_BANDS];
    row_planes(early, y, planes);
    cofi_features_row(&early->colour, early->image, 0, y, early->image->width, planes);
    early->found[y] = 1;
}

CofStatus cofi_early_features_offer(CofiEarlyFeatures *early, CofiCall *call, const CofImage *image)
{
    int rows = rows_for(call, image), blocks = (rows - 1) / COFI_TOGETHER + 1;
    *early = (CofiEarlyFeatures){.image = image, .stride = (image->width + 15) / 16 * 16};
    early->tasks = (CofiSpareTasks){.n = rows, .task = find_row, .context = early};
    size_t block_size = (size_t)(cofi_bands(image) * COFI_TOGETHER) * (size_t)early->stride;
    early->planes = cofi_call_take_raw(call, (size_t)blocks, block_size * sizeof *early->planes);
    early->found = cofi_call_take(call, (size_t)rows, sizeof *early->found);
    if (!early->planes || !early->found)
        return COF_ERR_MEMORY;
    call->spare = &early->tasks;
    return cofi_colour_init(&early->colour, call, image, (double)image->width * image->height);
}

void cofi_early_features_end(CofiCall *call)
{
    call->spare = NULL;
}

bool cofi_early_features_have(const CofiEarlyFeatures *early, CofRect block, const float **planes)
{
    if (block.y % COFI_TOGETHER + block.height > COFI_TOGETHER ||
        block.y + block.height > early->tasks.n)
        return false;
    for (int row = 0; row < block.height; row++)
        if (!early->found[block.y + row])
            return false;
    float *rows[COF_MAX_BANDS];
    row_planes(early, block.y, rows);
    for (int band = 0; band < cofi_bands(early->image); band++)
        planes[band] = rows[band] + block.x;
    return true;
}
