/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics and models from bytes, which are not trusted; docs/format.md describes them. */
#include "learn/deserialise.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/byte_io.h"
#include "base/memory.h"
#include "learn/file_format.h"
#include "learn/pair_sampling.h"

/* Reads a number; the reader fails if it is above `most`. */
static int read_up_to(CofiReader *r, uint32_t most)
{
    uint32_t value = cofi_read_u32(r);
    if (value > most)
        r->failed = true;
    return r->failed ? 0 : (int)value;
}

static double read_finite(CofiReader *r)
{
    double value = cofi_read_f64(r);
    if (!isfinite(value))
        r->failed = true;
    return r->failed ? 0 : value;
}

static void read_rows(CofiReader *r, float *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rows[i] = cofi_read_f32(r);
        if (!isfinite(rows[i]))
            r->failed = true;
    }
}

static void require(CofiReader *r, bool holds)
{
    if (!holds)
        r->failed = true;
}

static CofStatus reader_status(const CofiReader *r)
{
    return r->failed ? COF_ERR_FORMAT : COF_OK;
}

static bool sizes_fit_type(const CofiPalette *p)
{
    switch (p->type) {
    case COFI_PALETTE_EXACT:
        return p->k == 256 && p->bands == 1 && p->family == COF_KIND_GREY &&
               p->sample == COF_SAMPLE_U8;
    case COFI_PALETTE_BINS:
        return p->bands == 1 && p->family == COF_KIND_GREY && p->sample != COFI_ANY_SAMPLE &&
               (p->low < p->high ? p->k >= 2 : p->low == p->high && p->k == 1);
    case COFI_PALETTE_CENTRES:
        return p->bands >= 1 && (p->family == COF_KIND_BANDS || p->bands == (int)p->family + 1) &&
               (p->family == COF_KIND_GREY || p->family == COF_KIND_RGB ||
                p->family == COF_KIND_BANDS);
    case COFI_PALETTE_LABELS:
        return p->bands == 0 && p->family == COF_KIND_GREY;
    }
    return false;
}

/* The centres of exact palettes and of bins must be those that the library would compute. */
static CofStatus check_centres(const CofiPalette *palette)
{
    CofiPalette made = {0};
    CofStatus status = COF_OK;
    if (palette->type == COFI_PALETTE_EXACT)
        status = cofi_palette_exact(&made);
    else if (palette->type == COFI_PALETTE_BINS)
        status = cofi_palette_bins(&made, (CofSample)palette->sample, palette->k, palette->low,
                                   palette->high);
    else
        return COF_OK;
    if (status == COF_OK && !cofi_palette_equal(palette, &made))
        status = COF_ERR_FORMAT;
    cofi_palette_free(&made);
    return status;
}

/* On failure nothing is allocated. */
static CofStatus read_palette(CofiReader *r, CofiPalette *palette)
{
    *palette = (CofiPalette){0};
    palette->type = (CofiPaletteType)read_up_to(r, COFI_PALETTE_LABELS);
    palette->k = read_up_to(r, COF_MAX_COLOURS);
    palette->family = (CofKind)read_up_to(r, COF_KIND_BANDS);
    palette->sample = read_up_to(r, COF_SAMPLE_F32 + 1) - 1;
    palette->bands = read_up_to(r, COF_MAX_BANDS);
    require(r, read_up_to(r, 0) == 0);
    palette->low = read_finite(r);
    palette->high = read_finite(r);
    require(r, palette->k >= 1 && sizes_fit_type(palette));
    size_t n = (size_t)palette->k * (size_t)palette->bands;
    if (r->failed || !cofi_reader_has(r, n, 4))
        return COF_ERR_FORMAT;
    if (n == 0)
        return COF_OK;
    palette->centres = cofi_calloc(n, sizeof *palette->centres);
    if (!palette->centres)
        return COF_ERR_MEMORY;
    read_rows(r, palette->centres, n);
    CofStatus status = r->failed ? COF_ERR_FORMAT : check_centres(palette);
    if (status != COF_OK)
        cofi_palette_free(palette);
    return status == COF_OK ? cofi_palette_prepare(palette) : status;
}

static void read_learning(CofiReader *r, CofiLearning *learning)
{
    CofOptions options;
    cof_options_init(&options);
    options.colours = read_up_to(r, INT_MAX);
    options.levels = read_up_to(r, INT_MAX);
    options.window = read_up_to(r, INT_MAX);
    options.sampling = (CofSampling)read_up_to(r, COF_SAMPLING_ALL);
    options.downscale = read_up_to(r, INT_MAX);
    require(r, read_up_to(r, 0) == 0);
    options.low = read_finite(r);
    options.high = read_finite(r);
    options.seed = cofi_read_u64(r);
    require(r, cof_options_check(&options, NULL) == COF_OK);
    *learning = cofi_learning(&options);
}

static CofStatus read_samples(CofiReader *r, CofiSamples *samples)
{
    size_t row = (size_t)samples->bands;
    uint64_t n = cofi_read_u64(r);
    require(r, n <= samples->bound && (row > 0 || n == 0));
    if (r->failed || (n > 0 && !cofi_reader_has(r, (size_t)n, 8 + row * 4)))
        return COF_ERR_FORMAT;
    if (n == 0)
        return COF_OK;
    samples->hashes = cofi_calloc((size_t)n, sizeof *samples->hashes);
    samples->rows = cofi_calloc((size_t)n, row * sizeof *samples->rows);
    if (!samples->hashes || !samples->rows)
        return COF_ERR_MEMORY;
    samples->n = samples->room = (size_t)n;
    for (size_t i = 0; i < samples->n; i++) {
        samples->hashes[i] = cofi_read_u64(r);
        require(r, i == 0 || samples->hashes[i - 1] <= samples->hashes[i]);
    }
    read_rows(r, samples->rows, samples->n * row);
    return reader_status(r);
}

static CofStatus read_scan(CofiReader *r, CofStats *stats)
{
    CofiScan *scan = &stats->scan;
    scan->known = read_up_to(r, 1) != 0;
    scan->family = (CofKind)read_up_to(r, COF_KIND_BANDS);
    scan->sample = (CofSample)read_up_to(r, COF_SAMPLE_F32);
    scan->bands = read_up_to(r, COF_MAX_BANDS);
    scan->pixels = cofi_read_u64(r);
    scan->ranged = read_up_to(r, 1) != 0;
    require(r, read_up_to(r, 0) == 0);
    scan->smallest = read_finite(r);
    scan->largest = read_finite(r);
    CofiPalette like = {.type = COFI_PALETTE_CENTRES, .family = scan->family, .bands = scan->bands};
    require(r, scan->known ? sizes_fit_type(&like)
                           : scan->bands == 0 && scan->pixels == 0 && !scan->ranged &&
                                 scan->family == 0 && scan->sample == 0);
    require(r, scan->pixels <= UINT64_MAX >> 2);
    require(r, scan->ranged ? scan->smallest <= scan->largest
                            : scan->smallest == 0 && scan->largest == 0);
    cofi_scan_init(scan, &stats->learning, scan->bands);
    CofStatus status = read_samples(r, &scan->samples);
    return status == COF_OK ? read_samples(r, &scan->reserve) : status;
}

static CofStatus read_counts(CofiReader *r, CofStats *stats)
{
    CofiPalette palette;
    CofStatus status = read_palette(r, &palette);
    if (status != COF_OK)
        return status;
    int distances = cofi_distances(cofi_learning_radius(stats), NULL);
    size_t cells = cofi_cell(palette.k - 1, palette.k - 1) + 1;
    size_t n = (size_t)palette.k + (size_t)distances * cells;
    int rate = stats->rate;
    status = cofi_reader_has(r, n, 8) ? COF_OK : COF_ERR_FORMAT;
    status = cofi_stats_use_palette(stats, &palette, status);
    if (status != COF_OK)
        return status;
    stats->rate = rate;
    stats->counts = cofi_malloc(cofi_stats_counts(stats), sizeof *stats->counts);
    if (!stats->counts)
        return COF_ERR_MEMORY;
    for (int i = 0; i < palette.k; i++)
        stats->histogram[i] = cofi_read_u64(r);
    for (size_t i = 0; i < cofi_stats_counts(stats); i++)
        stats->counts[i] = cofi_read_u64(r);
    return reader_status(r);
}

static CofStatus read_stats(CofiReader *r, CofStats **out)
{
    CofStats *stats = cofi_calloc(1, sizeof *stats);
    if (!stats)
        return COF_ERR_MEMORY;
    read_learning(r, &stats->learning);
    bool has_palette = read_up_to(r, 1) != 0;
    stats->rate = read_up_to(r, COFI_MAX_RATE);
    CofStatus status = reader_status(r);
    if (status == COF_OK)
        status = has_palette ? read_counts(r, stats) : read_scan(r, stats);
    if (status == COF_OK && r->left != 0)
        status = COF_ERR_FORMAT;
    if (status == COF_OK)
        *out = stats;
    else
        cofi_stats_free(&stats);
    return status;
}

static void read_recipe(CofiReader *r, CofiRecipe *recipe)
{
    CofOptions options;
    cof_options_init(&options);
    options.window = read_up_to(r, INT_MAX);
    options.normalise = (CofNormalise)read_up_to(r, COF_NORMALISE_MARGINALS);
    options.downscale = read_up_to(r, INT_MAX);
    require(r, read_up_to(r, 0) == 0);
    options.sigma = read_finite(r);
    options.softness = read_finite(r);
    require(r, options.sigma > 0 && cof_options_check(&options, NULL) == COF_OK);
    CofiLearning learning = cofi_learning(&options);
    *recipe = cofi_recipe(&options, &learning);
}

static void read_weights(CofiReader *r, CofModel *model)
{
    int k = model->palette.k;
    for (int i = 0; i < k; i++) {
        model->frequencies[i] = read_finite(r);
        require(r, model->frequencies[i] >= 0);
    }
    for (int a = 0; a < k; a++)
        for (int b = 0; b <= a; b++) {
            double weight = read_finite(r);
            require(r, weight >= 0);
            model->matrix[a * k + b] = model->matrix[b * k + a] = weight;
        }
}

/* Up to the end of the model, which need not be the end of the bytes. */
static CofStatus read_model(CofiReader *r, CofModel **out)
{
    CofiRecipe recipe;
    CofiPalette palette;
    read_recipe(r, &recipe);
    CofStatus status = reader_status(r);
    if (status == COF_OK)
        status = read_palette(r, &palette);
    if (status != COF_OK)
        return status;
    size_t k = (size_t)palette.k;
    CofModel *model = NULL;
    if (cofi_reader_has(r, k + k * (k + 1) / 2, 8))
        model = cofi_model_blank(&palette, &recipe);
    cofi_palette_free(&palette);
    if (!model)
        return r->failed ? COF_ERR_FORMAT : COF_ERR_MEMORY;
    read_weights(r, model);
    if (r->failed)
        cofi_model_free(&model);
    else
        *out = model;
    return reader_status(r);
}

/* The header of a file. `r` is then at the payload. */
static CofStatus read_header(CofiReader *r, const void *bytes, size_t size, CofFileKind *kind)
{
    if (size < COFI_FILE_HEADER_SIZE + COFI_FILE_CHECKSUM_SIZE ||
        memcmp(bytes, COFI_FILE_MAGIC, COFI_FILE_MAGIC_SIZE) != 0)
        return COF_ERR_FORMAT;
    *r = (CofiReader){.at = bytes, .left = size};
    cofi_read_u32(r);
    uint32_t version = cofi_read_u32(r);
    if (version > COFI_FILE_VERSION)
        return COF_ERR_VERSION;
    uint32_t found = cofi_read_u32(r), reserved = cofi_read_u32(r);
    uint64_t payload = cofi_read_u64(r);
    if (version != COFI_FILE_VERSION || reserved != 0 || found < COF_FILE_KIND_STATS ||
        found > COF_FILE_KIND_PAIR ||
        payload != size - COFI_FILE_HEADER_SIZE - COFI_FILE_CHECKSUM_SIZE)
        return COF_ERR_FORMAT;
    *kind = (CofFileKind)found;
    r->left = (size_t)payload;
    return COF_OK;
}

CofStatus cofi_file_kind(const void *bytes, size_t size, CofFileKind *kind)
{
    CofiReader r;
    return read_header(&r, bytes, size, kind);
}

/* Header and checksum of a file of that kind. */
static CofStatus open_file(CofiReader *r, const void *bytes, size_t size, CofFileKind kind)
{
    CofFileKind found;
    CofStatus status = read_header(r, bytes, size, &found);
    if (status != COF_OK)
        return status;
    const unsigned char *checksum = (const unsigned char *)bytes + size - COFI_FILE_CHECKSUM_SIZE;
    CofiReader end = {.at = checksum, .left = COFI_FILE_CHECKSUM_SIZE};
    if (cofi_read_u32(&end) != cofi_crc32(bytes, size - COFI_FILE_CHECKSUM_SIZE))
        return COF_ERR_FORMAT;
    return found == kind ? COF_OK : COF_ERR_MISMATCH;
}

CofStatus cofi_load_stats(CofStats **stats, const void *bytes, size_t size)
{
    CofiReader r;
    CofStatus status = open_file(&r, bytes, size, COF_FILE_KIND_STATS);
    return status == COF_OK ? read_stats(&r, stats) : status;
}

/* A model that ends where the bytes do. */
static CofStatus read_whole_model(CofiReader *r, CofModel **out)
{
    CofModel *model = NULL;
    CofStatus status = read_model(r, &model);
    if (status == COF_OK && r->left != 0) {
        cofi_model_free(&model);
        status = COF_ERR_FORMAT;
    }
    if (status == COF_OK)
        *out = model;
    return status;
}

CofStatus cofi_load_model(CofModel **model, const void *bytes, size_t size)
{
    CofiReader r;
    CofStatus status = open_file(&r, bytes, size, COF_FILE_KIND_MODEL);
    return status == COF_OK ? read_whole_model(&r, model) : status;
}

static CofStatus read_pair(CofiReader *r, CofModel *models[2])
{
    uint64_t first = cofi_read_u64(r);
    if (r->failed || first > r->left)
        return COF_ERR_FORMAT;
    CofiReader head = *r;
    head.left = (size_t)first;
    r->at += first;
    r->left -= (size_t)first;
    CofStatus status = read_whole_model(&head, &models[0]);
    if (status == COF_OK)
        status = read_whole_model(r, &models[1]);
    if (status == COF_OK && !cofi_palette_equal(&models[0]->palette, &models[1]->palette))
        status = COF_ERR_FORMAT;
    return status;
}

CofStatus cofi_load_pair(CofModel **foreground, CofModel **background, const void *bytes,
                         size_t size)
{
    CofiReader r;
    CofModel *models[2] = {NULL, NULL};
    CofStatus status = open_file(&r, bytes, size, COF_FILE_KIND_PAIR);
    if (status == COF_OK)
        status = read_pair(&r, models);
    if (status != COF_OK) {
        cofi_model_free(&models[0]);
        cofi_model_free(&models[1]);
        return status;
    }
    *foreground = models[0];
    *background = models[1];
    return COF_OK;
}
