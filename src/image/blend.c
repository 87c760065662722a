/* SPDX-License-Identifier: BSD-2-Clause */
/* Blends two images with a matte, tints images and measures their chroma. */
#include "image/blend.h"

#include <math.h>
#include <string.h>

#include "image/colour.h"
#include "image/image.h"
#include "image/roi.h"

/* Pixels that are processed at a time. */
#define BLOCK 128

/* The largest factor by which a tint is made stronger. */
#define MAX_TINT_STRENGTH 2.0f

typedef struct RowJob {
    CofiCall *call;
    CofImage in, other, matte, out;
    CofiColour colour;
    int bands;
    bool lab;
    float tint[2]; /* a and b of Lab */
    float chroma;
    const CofImage *mask;
    double *chromas, *counts; /* one of each row */
    float *values;            /* of each worker: two blocks of all bands */
} RowJob;

typedef struct Block {
    float *values[COF_MAX_BANDS];
} Block;

/* The first or second block of a worker. */
static Block block_of(const RowJob *p, int worker, int which)
{
    Block block = {.values = {NULL}};
    for (int band = 0; band < p->bands; band++)
        block.values[band] =
            p->values + (ptrdiff_t)((2 * worker + which) * p->bands + band) * BLOCK;
    return block;
}

static void load_block(const RowJob *p, const CofImage *image, int x, int y, int n,
                       const Block *block)
{
    if (p->lab)
        cofi_lab_row(&p->colour, image, x, y, n, block->values);
    else
        for (int band = 0; band < p->bands; band++)
            cofi_load_row(image, band, x, y, n, block->values[band]);
}

static void store_block(const RowJob *p, int x, int y, int first, int n, const Block *block)
{
    const float *rows[COF_MAX_BANDS];
    for (int band = 0; band < p->bands; band++)
        rows[band] = block->values[band] + first;
    if (p->lab)
        cofi_store_lab_row(&p->colour, &p->out, x + first, y, n, rows);
    else
        for (int band = 0; band < p->bands; band++)
            cofi_store_row(&p->out, band, x + first, y, n, rows[band]);
}

static void copy_block(const RowJob *p, const CofImage *from, int x, int y, int n)
{
    for (int band = 0; band < p->bands; band++)
        cofi_copy_row(from, x, y, &p->out, x, y, band, n, NULL);
}

static void copy_alpha(const RowJob *p, int x, int y, int n)
{
    if (cofi_has_alpha(&p->in))
        cofi_copy_row(&p->in, x, y, &p->out, x, y, p->in.channels - 1, n, NULL);
}

static void fill_valid(uint8_t *valid, int n)
{
    memset(valid, 1, (size_t)n);
}

/* Pixels that come from one image alone are copied byte for byte. */
static void blend_block(const RowJob *p, int worker, int x, int y, int n)
{
    Block in = block_of(p, worker, 0), other = block_of(p, worker, 1);
    float matte[BLOCK], full = (float)cofi_sample_max(p->matte.sample);
    uint8_t valid[BLOCK];
    load_block(p, &p->in, x, y, n, &in);
    load_block(p, &p->other, x, y, n, &other);
    cofi_load_row(&p->matte, 0, x, y, n, matte);
    fill_valid(valid, n);
    cofi_valid_row(&p->in, x, y, n, valid);
    cofi_valid_row(&p->other, x, y, n, valid);
    cofi_valid_row(&p->matte, x, y, n, valid);
    for (int i = 0; i < n; i++) {
        matte[i] = !valid[i] || matte[i] >= full ? 1 : matte[i] <= 0 ? 0 : matte[i] / full;
        for (int band = 0; band < p->bands; band++)
            in.values[band][i] =
                matte[i] * in.values[band][i] + (1 - matte[i]) * other.values[band][i];
    }
    for (int first = 0, end; first < n; first = end) {
        bool pure = matte[first] <= 0 || matte[first] >= 1;
        for (end = first + 1;
             end < n && (pure ? matte[end] == matte[first] : matte[end] > 0 && matte[end] < 1);)
            end++;
        if (pure)
            copy_block(p, matte[first] > 0 ? &p->in : &p->other, x + first, y, end - first);
        else
            store_block(p, x, y, first, end - first, &in);
    }
    copy_alpha(p, x, y, n);
}

/* hypotf(), which would need version 2.35 of glibc. Its squares are exact in double. */
static float chroma_of(float a, float b)
{
    return (float)sqrt((double)a * (double)a + (double)b * (double)b);
}

/* Pixels without data are copied byte for byte. */
static void tint_block(const RowJob *p, int worker, int x, int y, int n)
{
    Block block = block_of(p, worker, 0);
    uint8_t valid[BLOCK];
    load_block(p, &p->in, x, y, n, &block);
    fill_valid(valid, n);
    cofi_valid_row(&p->in, x, y, n, valid);
    for (int i = 0; i < n; i++) {
        float strength = 1;
        if (p->chroma > 0)
            strength = fminf(MAX_TINT_STRENGTH,
                             chroma_of(block.values[1][i], block.values[2][i]) / p->chroma);
        block.values[1][i] = strength * p->tint[0];
        block.values[2][i] = strength * p->tint[1];
    }
    for (int first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && valid[end] == valid[first];)
            end++;
        if (valid[first])
            store_block(p, x, y, first, end - first, &block);
        else
            copy_block(p, &p->in, x + first, y, end - first);
    }
    copy_alpha(p, x, y, n);
}

typedef void PaintBlock(const RowJob *p, int worker, int x, int y, int n);

static void paint_rows(const RowJob *p, int first, int last, int worker, PaintBlock *paint_block)
{
    for (int y = first; y < last; y++)
        for (int x = 0; x < p->in.width; x += BLOCK)
            paint_block(p, worker, x, y, p->in.width - x < BLOCK ? p->in.width - x : BLOCK);
}

static void blend_rows(void *context, int first, int last, int worker)
{
    paint_rows(context, first, last, worker, blend_block);
}

static void tint_rows(void *context, int first, int last, int worker)
{
    paint_rows(context, first, last, worker, tint_block);
}

static CofStatus prepare_rows(RowJob *p)
{
    p->bands = cofi_bands(&p->in);
    CofStatus status =
        cofi_colour_init(&p->colour, p->call, &p->in, (double)p->in.width * p->in.height);
    if (status == COF_OK)
        status = cofi_colour_init_stores(&p->colour, p->call, &p->out);
    if (status != COF_OK)
        return status;
    p->values = cofi_call_take_raw(p->call, (size_t)p->call->threads,
                                   2 * (size_t)p->bands * BLOCK * sizeof *p->values);
    return p->values ? COF_OK : COF_ERR_MEMORY;
}

static CofStatus write_rows(RowJob *p, CofiRows *rows)
{
    CofStatus status = prepare_rows(p);
    cofi_call_stage(p->call, COF_STAGE_STORE);
    if (status == COF_OK)
        cofi_call_output_rows(p->call, p->in.height, 1, rows, p);
    return status;
}

CofStatus cofi_blend(CofiCall *call, const CofImage *matte, const CofImage *in,
                     const CofImage *other, const CofImage *out)
{
    RowJob p = {.call = call, .in = *in, .other = *other, .matte = *matte, .out = *out};
    p.lab = cofi_family(in->kind) == COF_KIND_RGB && call->options.space == COF_SPACE_LAB;
    return write_rows(&p, blend_rows);
}

/* Lab of an RGB colour in 0..1. */
static CofStatus lab_of_colour(CofiCall *call, const double colour[3], float lab[3])
{
    float rgb[3] = {(float)colour[0], (float)colour[1], (float)colour[2]};
    CofImage pixel, given = {.data = rgb,
                             .width = 1,
                             .height = 1,
                             .channels = 3,
                             .kind = COF_KIND_RGB,
                             .sample = COF_SAMPLE_F32};
    cofi_image_complete(&given, &pixel);
    CofiColour reader;
    CofStatus status = cofi_colour_init(&reader, call, &pixel, 1);
    if (status == COF_OK)
        cofi_lab_row(&reader, &pixel, 0, 0, 1, (float *const[3]){lab, lab + 1, lab + 2});
    return status;
}

CofStatus cofi_tint(CofiCall *call, const CofImage *in, const double colour[3],
                    double reference_chroma, const CofImage *out)
{
    RowJob p = {.call = call, .in = *in, .out = *out, .lab = true};
    float lab[3];
    CofStatus status = lab_of_colour(call, colour, lab);
    if (status != COF_OK)
        return status;
    p.tint[0] = lab[1];
    p.tint[1] = lab[2];
    p.chroma = (float)reference_chroma;
    return write_rows(&p, tint_rows);
}

static void measure_rows(void *context, int first, int last, int worker)
{
    RowJob *p = context;
    Block block = block_of(p, worker, 0);
    for (int y = first; y < last; y++)
        for (int x = 0; x < p->in.width; x += BLOCK) {
            int n = p->in.width - x < BLOCK ? p->in.width - x : BLOCK;
            uint8_t members[BLOCK];
            load_block(p, &p->in, x, y, n, &block);
            cofi_visible_row(&p->in, x, y, n, members);
            if (p->mask)
                cofi_mask_row(p->mask, x, y, n, members);
            for (int i = 0; i < n; i++) {
                double a = (double)block.values[1][i], b = (double)block.values[2][i];
                p->chromas[y] += members[i] ? sqrt(a * a + b * b) : 0;
                p->counts[y] += members[i];
            }
        }
}

CofStatus cofi_mean_chroma(CofiCall *call, const CofImage *image, const CofImage *mask,
                           double *chroma)
{
    RowJob job = {.call = call, .in = *image, .mask = mask, .lab = true}, *p = &job;
    size_t rows = (size_t)p->in.height;
    p->chromas = cofi_call_take(p->call, rows, sizeof *p->chromas);
    p->counts = cofi_call_take(p->call, rows, sizeof *p->counts);
    CofStatus status = p->chromas && p->counts ? prepare_rows(p) : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_call_rows(p->call, p->in.height, 1, measure_rows, p);
    double sum = 0, count = 0;
    for (int y = 0; y < p->in.height && status == COF_OK; y++) {
        sum += p->chromas[y];
        count += p->counts[y];
    }
    if (status == COF_OK && count <= 0)
        status = cofi_call_fail_argument(p->call, COF_ERR_EMPTY, p->mask ? "mask" : "image",
                                         "there is no valid pixel to measure");
    if (status == COF_OK)
        *chroma = sum / count;
    return status;
}
