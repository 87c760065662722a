/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics and models from bytes, which are not trusted; docs/format.md describes them. */
#include "learn/deserialise.h"

#include <limits.h>
#include <string.h>

#include "base/byte_io.h"
#include "base/memory.h"
#include "learn/file_format.h"
#include "learn/pair_sampling.h"
#include "learn/read_palette.h"

static void read_learning(CofiReader *r, CofiLearning *learning)
{
    CofOptions options;
    cof_options_init(&options);
    options.colours = cofi_read_up_to(r, INT_MAX);
    options.levels = cofi_read_up_to(r, INT_MAX);
    options.window = cofi_read_up_to(r, INT_MAX);
    options.sampling = (CofSampling)cofi_read_up_to(r, COF_SAMPLING_ALL);
    options.downscale = cofi_read_up_to(r, INT_MAX);
    options.palettes = 1 + cofi_read_up_to(r, r->version > 1 ? COF_MAX_PALETTES - 1 : 0);
    options.low = cofi_read_finite(r);
    options.high = cofi_read_finite(r);
    options.seed = cofi_read_u64(r);
    cofi_reader_require(r, cof_options_check(&options, NULL) == COF_OK);
    *learning = cofi_learning(&options);
}

static CofStatus read_samples(CofiReader *r, CofiSamples *samples)
{
    size_t row = (size_t)samples->bands;
    uint64_t n = cofi_read_u64(r);
    cofi_reader_require(r, n <= samples->bound && (row > 0 || n == 0));
    if (r->failed || (n > 0 && !cofi_reader_has(r, (size_t)n, 8 + row * 4)))
        return COF_ERR_FORMAT;
    if (n == 0)
        return COF_OK;
    samples->hashes = cofi_calloc((size_t)n, sizeof *samples->hashes);
    samples->rows = cofi_calloc((size_t)n, row * sizeof *samples->rows);
    if (!samples->hashes || !samples->rows)
        return COF_ERR_MEMORY;
    samples->n = samples->room = (size_t)n;
    cofi_read_u64s(r, samples->hashes, samples->n);
    for (size_t i = 1; i < samples->n; i++)
        cofi_reader_require(r, samples->hashes[i - 1] <= samples->hashes[i]);
    cofi_read_rows(r, samples->rows, samples->n * row);
    return cofi_reader_status(r);
}

static CofStatus read_scan(CofiReader *r, CofStats *stats)
{
    CofiScan *scan = &stats->scan;
    scan->known = cofi_read_up_to(r, 1) != 0;
    scan->family = (CofKind)cofi_read_up_to(r, COF_KIND_BANDS);
    scan->sample = (CofSample)cofi_read_up_to(r, COF_SAMPLE_F32);
    scan->bands = cofi_read_up_to(r, COF_MAX_BANDS);
    scan->pixels = cofi_read_u64(r);
    scan->ranged = cofi_read_up_to(r, 1) != 0;
    cofi_reader_require(r, cofi_read_up_to(r, 0) == 0);
    scan->smallest = cofi_read_finite(r);
    scan->largest = cofi_read_finite(r);
    cofi_reader_require(r, scan->known ? cofi_centres_fit(scan->family, scan->bands)
                                       : scan->bands == 0 && scan->pixels == 0 && !scan->ranged &&
                                             scan->family == 0 && scan->sample == 0);
    cofi_reader_require(r, scan->pixels <= UINT64_MAX >> 2);
    cofi_reader_require(r, scan->ranged ? scan->smallest <= scan->largest
                                        : scan->smallest == 0 && scan->largest == 0);
    cofi_scan_init(scan, &stats->learning, scan->bands);
    CofStatus status = read_samples(r, &scan->samples);
    return status == COF_OK ? read_samples(r, &scan->reserve) : status;
}

/* Reads the palette and the counts of a member that has its learning options. */
static CofStatus read_member(CofiReader *r, CofStats *stats, CofiPalette *palette)
{
    int distances = cofi_distances(cofi_learning_radius(stats), NULL);
    size_t k = (size_t)palette->k, cells = cofi_cell(palette->k - 1, palette->k - 1) + 1;
    int rate = stats->rate;
    CofStatus status =
        cofi_reader_has(r, k + (size_t)distances * cells, 8) ? COF_OK : COF_ERR_FORMAT;
    status = cofi_stats_use_palette(stats, palette, status);
    if (status != COF_OK)
        return status;
    stats->rate = rate;
    stats->counts = cofi_malloc(cofi_stats_counts(stats), sizeof *stats->counts);
    if (!stats->counts)
        return COF_ERR_MEMORY;
    cofi_read_u64s(r, stats->histogram, k);
    cofi_read_u64s(r, stats->counts, cofi_stats_counts(stats));
    return cofi_reader_status(r);
}

/* Are these palettes for the same images? */
static bool alike(const CofiPalette *a, const CofiPalette *b)
{
    return a->type != COFI_PALETTE_LABELS && b->type != COFI_PALETTE_LABELS &&
           a->family == b->family && a->sample == b->sample && a->bands == b->bands;
}

static CofStatus read_counts(CofiReader *r, CofStats *stats)
{
    CofiPalette palette;
    CofStatus status = cofi_read_palette(r, &palette);
    if (status == COF_OK)
        status = read_member(r, stats, &palette);
    for (int i = 1; i < stats->learning.palettes && status == COF_OK; i++) {
        CofiLearning learning = cofi_member_learning(&stats->learning, i);
        CofStats *member = cofi_stats_new(&learning);
        if (!member)
            return COF_ERR_MEMORY;
        stats->others[stats->n_others++] = member;
        member->rate = cofi_read_up_to(r, COFI_MAX_RATE);
        status = cofi_read_palette(r, &palette);
        if (status == COF_OK)
            status = read_member(r, member, &palette);
        if (status == COF_OK && !alike(&stats->palette, &member->palette))
            status = COF_ERR_FORMAT;
    }
    return status;
}

static CofStatus read_stats(CofiReader *r, CofStats **out)
{
    CofStats *stats = cofi_calloc(1, sizeof *stats);
    if (!stats)
        return COF_ERR_MEMORY;
    read_learning(r, &stats->learning);
    bool has_palette = cofi_read_up_to(r, 1) != 0;
    stats->rate = cofi_read_up_to(r, COFI_MAX_RATE);
    CofStatus status = cofi_reader_status(r);
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

/* Returns the number of other members. */
static int read_recipe(CofiReader *r, CofiRecipe *recipe)
{
    CofOptions options;
    cof_options_init(&options);
    options.window = cofi_read_up_to(r, INT_MAX);
    options.normalise = (CofNormalise)cofi_read_up_to(r, COF_NORMALISE_MARGINALS);
    options.downscale = cofi_read_up_to(r, INT_MAX);
    int others = cofi_read_up_to(r, r->version > 1 ? COF_MAX_PALETTES - 1 : 0);
    options.sigma = cofi_read_finite(r);
    options.softness = cofi_read_finite(r);
    options.separation = r->version > 1 ? cofi_read_finite(r) : 0;
    cofi_reader_require(r, options.sigma > 0 && cof_options_check(&options, NULL) == COF_OK);
    CofiLearning learning = cofi_learning(&options);
    *recipe = cofi_recipe(&options, &learning);
    return others;
}

static void read_weights(CofiReader *r, CofModel *model)
{
    int k = model->palette.k;
    for (int i = 0; i < k; i++) {
        model->frequencies[i] = cofi_read_finite(r);
        cofi_reader_require(r, model->frequencies[i] >= 0);
    }
    for (int a = 0; a < k; a++)
        for (int b = 0; b <= a; b++) {
            double weight = cofi_read_finite(r);
            cofi_reader_require(r, weight >= 0);
            model->matrix[a * k + b] = model->matrix[b * k + a] = weight;
        }
}

static CofStatus read_model_member(CofiReader *r, const CofiRecipe *recipe, CofModel **out)
{
    CofiPalette palette;
    CofStatus status = cofi_read_palette(r, &palette);
    if (status != COF_OK)
        return status;
    size_t k = (size_t)palette.k;
    CofModel *model = NULL;
    if (cofi_reader_has(r, k + k * (k + 1) / 2, 8))
        model = cofi_model_blank(&palette, recipe);
    cofi_palette_free(&palette);
    if (!model)
        return r->failed ? COF_ERR_FORMAT : COF_ERR_MEMORY;
    read_weights(r, model);
    if (r->failed)
        cofi_model_free(&model);
    else
        *out = model;
    return cofi_reader_status(r);
}

/* Up to the end of the model, which need not be the end of the bytes. */
static CofStatus read_model(CofiReader *r, CofModel **out)
{
    CofiRecipe recipe;
    CofModel *model = NULL;
    int others = read_recipe(r, &recipe);
    CofStatus status = cofi_reader_status(r);
    if (status == COF_OK)
        status = read_model_member(r, &recipe, &model);
    for (int i = 0; i < others && status == COF_OK; i++) {
        status = read_model_member(r, &recipe, &model->others[i]);
        if (status != COF_OK)
            break;
        model->n_others++;
        if (!alike(&model->palette, &model->others[i]->palette))
            status = COF_ERR_FORMAT;
    }
    if (status == COF_OK)
        *out = model;
    else
        cofi_model_free(&model);
    return status;
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
    if (version < 1 || reserved != 0 || found < COF_FILE_KIND_STATS || found > COF_FILE_KIND_PAIR ||
        payload != size - COFI_FILE_HEADER_SIZE - COFI_FILE_CHECKSUM_SIZE)
        return COF_ERR_FORMAT;
    *kind = (CofFileKind)found;
    r->version = version;
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
    if (status == COF_OK && (!cofi_palette_equal(&models[0]->palette, &models[1]->palette) ||
                             models[0]->n_others > 0 || models[1]->n_others > 0))
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
