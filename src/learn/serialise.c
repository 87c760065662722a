/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics and models to bytes; docs/format.md describes them. */
#include "learn/serialise.h"

#include <string.h>

#include "base/byte_io.h"
#include "base/memory.h"
#include "learn/file_format.h"
#include "learn/model.h"
#include "learn/stats.h"

static void write_header(CofiWriter *w, uint32_t version, CofFileKind kind, uint64_t payload)
{
    if (w->at) {
        memcpy(w->at, COFI_FILE_MAGIC, COFI_FILE_MAGIC_SIZE);
        w->at += COFI_FILE_MAGIC_SIZE;
    }
    w->size += COFI_FILE_MAGIC_SIZE;
    cofi_write_u32(w, version);
    cofi_write_u32(w, kind);
    cofi_write_u32(w, 0);
    cofi_write_u64(w, payload);
}

static void write_palette(CofiWriter *w, const CofiPalette *palette)
{
    cofi_write_u32(w, palette->type);
    cofi_write_u32(w, (uint32_t)palette->k);
    cofi_write_u32(w, palette->family);
    cofi_write_u32(w, (uint32_t)(palette->sample + 1)); /* 0: any */
    cofi_write_u32(w, (uint32_t)palette->bands);
    cofi_write_u32(w, 0);
    cofi_write_f64(w, palette->low);
    cofi_write_f64(w, palette->high);
    for (int i = 0; i < palette->k * palette->bands; i++)
        cofi_write_f32(w, palette->centres[i]);
}

static void write_learning(CofiWriter *w, const CofiLearning *learning)
{
    cofi_write_u32(w, (uint32_t)learning->colours);
    cofi_write_u32(w, (uint32_t)learning->levels);
    cofi_write_u32(w, (uint32_t)learning->window);
    cofi_write_u32(w, learning->sampling);
    cofi_write_u32(w, (uint32_t)learning->downscale);
    cofi_write_u32(w, (uint32_t)learning->palettes - 1);
    cofi_write_f64(w, learning->low);
    cofi_write_f64(w, learning->high);
    cofi_write_u64(w, learning->seed);
}

static void write_samples(CofiWriter *w, const CofiSamples *samples)
{
    cofi_write_u64(w, samples->n);
    cofi_write_u64s(w, samples->hashes, samples->n);
    cofi_write_f32s(w, samples->rows, samples->n * (size_t)samples->bands);
}

static void write_scan(CofiWriter *w, const CofiScan *scan)
{
    cofi_write_u32(w, scan->known);
    cofi_write_u32(w, scan->family);
    cofi_write_u32(w, scan->sample);
    cofi_write_u32(w, (uint32_t)scan->bands);
    cofi_write_u64(w, scan->pixels);
    cofi_write_u32(w, scan->ranged);
    cofi_write_u32(w, 0);
    cofi_write_f64(w, scan->smallest);
    cofi_write_f64(w, scan->largest);
    write_samples(w, &scan->samples);
    write_samples(w, &scan->reserve);
}

static void write_counts(CofiWriter *w, const CofStats *stats)
{
    write_palette(w, &stats->palette);
    cofi_write_u64s(w, stats->histogram, (size_t)stats->palette.k);
    if (stats->counts)
        cofi_write_u64s(w, stats->counts, cofi_stats_counts(stats));
    else
        cofi_write_zeros(w, cofi_stats_counts(stats) * sizeof *stats->counts);
}

static void write_stats(CofiWriter *w, const void *object)
{
    const CofStats *stats = object;
    write_learning(w, &stats->learning);
    cofi_write_u32(w, stats->has_palette);
    cofi_write_u32(w, (uint32_t)stats->rate);
    if (!stats->has_palette) {
        write_scan(w, &stats->scan);
        return;
    }
    write_counts(w, stats);
    for (int i = 0; i < stats->n_others; i++) {
        cofi_write_u32(w, (uint32_t)stats->others[i]->rate);
        write_counts(w, stats->others[i]);
    }
}

static void write_weights(CofiWriter *w, const CofModel *model)
{
    write_palette(w, &model->palette);
    for (int i = 0; i < model->palette.k; i++)
        cofi_write_f64(w, model->frequencies[i]);
    for (int a = 0; a < model->palette.k; a++)
        for (int b = 0; b <= a; b++)
            cofi_write_f64(w, model->matrix[a * model->palette.k + b]);
}

static uint32_t model_version(const CofModel *model)
{
    return model->n_others > 0 || model->recipe.separation > 0 ? COFI_FILE_VERSION : 1;
}

static void write_model_of(CofiWriter *w, uint32_t version, const CofModel *model)
{
    cofi_write_u32(w, (uint32_t)model->recipe.window);
    cofi_write_u32(w, model->recipe.normalise);
    cofi_write_u32(w, (uint32_t)model->recipe.downscale);
    cofi_write_u32(w, (uint32_t)model->n_others);
    cofi_write_f64(w, model->recipe.sigma);
    cofi_write_f64(w, model->recipe.softness);
    if (version > 1)
        cofi_write_f64(w, model->recipe.separation);
    for (int i = 0; i <= model->n_others; i++)
        write_weights(w, cofi_model_member(model, i));
}

static void write_model(CofiWriter *w, const void *object)
{
    write_model_of(w, model_version(object), object);
}

static uint32_t pair_version(const CofModel *const *models)
{
    uint32_t first = model_version(models[0]), second = model_version(models[1]);
    return first > second ? first : second;
}

static void write_pair(CofiWriter *w, const void *object)
{
    const CofModel *const *models = object;
    uint32_t version = pair_version(models);
    CofiWriter counter = {0};
    write_model_of(&counter, version, models[0]);
    cofi_write_u64(w, counter.size);
    write_model_of(w, version, models[0]);
    write_model_of(w, version, models[1]);
}

typedef void WriteObject(CofiWriter *w, const void *object);

/* Files have the oldest version that can hold the object. */
static CofStatus save(CofFileKind kind, uint32_t version, WriteObject *write, const void *object,
                      void **bytes, size_t *size)
{
    CofiWriter counter = {0};
    write(&counter, object);
    size_t payload = counter.size,
           total = COFI_FILE_HEADER_SIZE + payload + COFI_FILE_CHECKSUM_SIZE;
    unsigned char *block = cofi_malloc(total, 1);
    if (!block)
        return COF_ERR_MEMORY;
    CofiWriter writer = {.at = block};
    write_header(&writer, version, kind, payload);
    write(&writer, object);
    cofi_write_u32(&writer, cofi_crc32(block, writer.size));
    *bytes = block;
    *size = total;
    return COF_OK;
}

CofStatus cofi_save_stats(const CofStats *stats, void **bytes, size_t *size)
{
    uint32_t version = stats->learning.palettes > 1 ? COFI_FILE_VERSION : 1;
    if (stats->has_palette || !stats->scan.known)
        return save(COF_FILE_KIND_STATS, version, write_stats, stats, bytes, size);
    /* Samples in memory have no order. In a file they are sorted, so that equal sets give equal
     * bytes. */
    CofStats sorted = *stats;
    cofi_scan_init(&sorted.scan, &stats->learning, stats->scan.bands);
    CofStatus status = cofi_samples_join(&sorted.scan.samples, &stats->scan.samples);
    if (status == COF_OK)
        status = cofi_samples_join(&sorted.scan.reserve, &stats->scan.reserve);
    if (status == COF_OK)
        status = cofi_samples_trim(&sorted.scan.samples);
    if (status == COF_OK)
        status = cofi_samples_trim(&sorted.scan.reserve);
    if (status == COF_OK)
        status = save(COF_FILE_KIND_STATS, version, write_stats, &sorted, bytes, size);
    cofi_samples_free(&sorted.scan.samples);
    cofi_samples_free(&sorted.scan.reserve);
    return status;
}

CofStatus cofi_save_model(const CofModel *model, void **bytes, size_t *size)
{
    return save(COF_FILE_KIND_MODEL, model_version(model), write_model, model, bytes, size);
}

CofStatus cofi_save_pair(const CofModel *foreground, const CofModel *background, void **bytes,
                         size_t *size)
{
    const CofModel *models[2] = {foreground, background};
    return save(COF_FILE_KIND_PAIR, pair_version(models), write_pair, models, bytes, size);
}
