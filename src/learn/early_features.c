/* SPDX-License-Identifier: BSD-2-Clause */
/* Features of the first rows of an image, found by idle threads while the palette is sought. */
#include "learn/early_features.h"

#include <assert.h>

#include "image/image.h"
#include "learn/kmeans.h"
#include "learn/label_row.h"

/* About as many pixels as a thread converts while another one tries a seeding of 32 colours. */
#define PIXELS_PER_THREAD 73728

/* From row to row of a plane; rows are aligned. */
static int64_t stride_of(const CofImage *image)
{
    return ((int64_t)image->width + 15) / 16 * 16;
}

/* The number of rows for idle threads: whole blocks, or all rows. */
static int rows_for(const CofiCall *call, const CofImage *image, int colours)
{
    int64_t idle = call->threads - cofi_palette_trials(colours);
    int64_t rows = idle * PIXELS_PER_THREAD / stride_of(image);
    return rows < image->height ? (int)(rows / COFI_TOGETHER * COFI_TOGETHER) : image->height;
}

bool cofi_early_features_pay(const CofiCall *call, const CofImage *image, int colours)
{
    int trials = cofi_palette_trials(colours);
    return COFI_HAS_THREADS && trials > 1 && call->threads > trials &&
           cofi_family(image->kind) == COF_KIND_RGB && rows_for(call, image, colours) > 0;
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

CofStatus cofi_early_features_offer(CofiEarlyFeatures *early, CofiCall *call, const CofImage *image,
                                    int colours)
{
    assert(cofi_early_features_pay(call, image, colours));
    int rows = rows_for(call, image, colours), blocks = (rows - 1) / COFI_TOGETHER + 1;
    *early = (CofiEarlyFeatures){.image = image, .stride = (int)stride_of(image)};
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
