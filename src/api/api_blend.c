/* SPDX-License-Identifier: BSD-2-Clause */
/* Blends two images with a matte, and tints images. */
#include "cof/cof.h"

#include <math.h>
#include <string.h>

#include "api/checks.h"
#include "image/colour.h"
#include "image/image.h"
#include "image/roi.h"

/* Pixels that are processed at a time, with their values on the stack. */
#define BLOCK 128

/* The largest factor by which a tint is made stronger. */
#define MAX_TINT_STRENGTH 2.0f

/* Far above the chroma of any colour. */
#define MAX_REFERENCE_CHROMA 1000

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
} RowJob;

typedef struct Block {
    float values[COF_MAX_BANDS][BLOCK];
    float *rows[COF_MAX_BANDS];
} Block;

static void load_block(const RowJob *p, const CofImage *image, int x, int y, int n, Block *block)
{
    for (int band = 0; band < p->bands; band++)
        block->rows[band] = block->values[band];
    if (p->lab)
        cofi_lab_row(&p->colour, image, x, y, n, block->rows);
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
static void blend_block(const RowJob *p, int x, int y, int n)
{
    Block in, other;
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

/* Pixels without data are copied byte for byte. */
static void tint_block(const RowJob *p, int x, int y, int n)
{
    Block block;
    uint8_t valid[BLOCK];
    load_block(p, &p->in, x, y, n, &block);
    fill_valid(valid, n);
    cofi_valid_row(&p->in, x, y, n, valid);
    for (int i = 0; i < n; i++) {
        float strength = 1;
        if (p->chroma > 0)
            strength = fminf(MAX_TINT_STRENGTH,
                             hypotf(block.values[1][i], block.values[2][i]) / p->chroma);
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

typedef void PaintBlock(const RowJob *p, int x, int y, int n);

static void paint_rows(const RowJob *p, int first, int last, PaintBlock *paint_block)
{
    for (int y = first; y < last; y++)
        for (int x = 0; x < p->in.width; x += BLOCK)
            paint_block(p, x, y, p->in.width - x < BLOCK ? p->in.width - x : BLOCK);
}

static void blend_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    paint_rows(context, first, last, blend_block);
}

static void tint_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    paint_rows(context, first, last, tint_block);
}

/* Cannot be cancelled: the output is either untouched or whole. */
static CofStatus run_rows(RowJob *p, CofiRows *rows)
{
    p->bands = cofi_bands(&p->in);
    CofStatus status =
        cofi_colour_init(&p->colour, p->call, &p->in, (double)p->in.width * p->in.height);
    if (status != COF_OK)
        return status;
    cofi_call_stage(p->call, COF_STAGE_STORE);
    p->call->options.progress = NULL;
    return cofi_call_rows(p->call, p->in.height, 1, rows, p);
}

static bool same_size(const CofImage *a, const CofImage *b)
{
    return a->width == b->width && a->height == b->height && cofi_same_place(a, b);
}

static CofStatus check_blend(RowJob *p, const CofImage *matte, const CofImage *in,
                             const CofImage *other, const CofImage *out)
{
    CofStatus status = cofi_check_in_out(p->call, in, out, &p->in, &p->out);
    if (status == COF_OK)
        status = cofi_check_image(p->call, other, "other", &p->other);
    if (status == COF_OK && (p->other.kind != p->in.kind || p->other.sample != p->in.sample ||
                             p->other.channels != p->in.channels))
        status = cofi_mismatch(p->call, "other", "the images differ in kind or sample type");
    if (status == COF_OK && !same_size(&p->other, &p->in))
        status = cofi_mismatch(p->call, "other", "the images differ in size or place");
    if (status == COF_OK)
        status = cofi_check_image(p->call, matte, "matte", &p->matte);
    if (status == COF_OK && p->matte.kind != COF_KIND_GREY)
        status = cofi_mismatch(p->call, "matte", "the matte must be grey");
    if (status == COF_OK && !same_size(&p->matte, &p->in))
        status = cofi_mismatch(p->call, "matte", "matte and input differ in size or place");
    if (status == COF_OK && !same_size(&p->out, &p->in))
        status = cofi_mismatch(p->call, "out", "input and output differ in size or place");
    return status;
}

CofStatus cof_blend(const CofImage *matte, const CofImage *in, const CofImage *other,
                    const CofImage *out, const CofOptions *options)
{
    CofiCall call;
    RowJob p = {.call = &call};
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    status = check_blend(&p, matte, in, other, out);
    p.lab = cofi_family(p.in.kind) == COF_KIND_RGB && call.options.space == COF_SPACE_LAB;
    if (status == COF_OK)
        status = run_rows(&p, blend_rows);
    return cofi_call_end(&call, status);
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
    CofStatus status = cofi_check_image(call, &given, "colour", &pixel);
    CofiColour reader;
    if (status == COF_OK)
        status = cofi_colour_init(&reader, call, &pixel, 1);
    if (status == COF_OK)
        cofi_lab_row(&reader, &pixel, 0, 0, 1, (float *const[3]){lab, lab + 1, lab + 2});
    return status;
}

static bool is_colour(const double colour[3])
{
    for (int i = 0; i < 3; i++)
        if (!(colour[i] >= 0 && colour[i] <= 1))
            return false;
    return true;
}

CofStatus cof_tint(const CofImage *in, const double colour[3], double reference_chroma,
                   const CofImage *out, const CofOptions *options)
{
    CofiCall call;
    RowJob p = {.call = &call, .lab = true};
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    if (!colour || !is_colour(colour))
        status = cofi_call_fail_argument(&call, COF_ERR_ARGUMENT, "colour",
                                         "the values of the colour must be 0 to 1");
    else if (!(reference_chroma >= 0 && reference_chroma <= MAX_REFERENCE_CHROMA))
        status = cofi_call_fail_argument(&call, COF_ERR_ARGUMENT, "reference_chroma",
                                         "the reference chroma must be 0 to 1000");
    if (status == COF_OK)
        status = cofi_check_in_out(&call, in, out, &p.in, &p.out);
    if (status == COF_OK && cofi_family(p.in.kind) != COF_KIND_RGB)
        status = cofi_mismatch(&call, "in", "only an RGB image can be tinted");
    if (status == COF_OK && !same_size(&p.in, &p.out))
        status = cofi_mismatch(&call, "out", "input and output differ in size or place");
    float lab[3];
    if (status == COF_OK)
        status = lab_of_colour(&call, colour, lab);
    if (status == COF_OK) {
        p.tint[0] = lab[1];
        p.tint[1] = lab[2];
        p.chroma = (float)reference_chroma;
        status = run_rows(&p, tint_rows);
    }
    return cofi_call_end(&call, status);
}

static void measure_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    RowJob *p = context;
    for (int y = first; y < last; y++)
        for (int x = 0; x < p->in.width; x += BLOCK) {
            int n = p->in.width - x < BLOCK ? p->in.width - x : BLOCK;
            Block block;
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

static CofStatus measure(RowJob *p, double *chroma)
{
    size_t rows = (size_t)p->in.height;
    p->chromas = cofi_call_take(p->call, rows, sizeof *p->chromas);
    p->counts = cofi_call_take(p->call, rows, sizeof *p->counts);
    CofStatus status = p->chromas && p->counts ? run_rows(p, measure_rows) : COF_ERR_MEMORY;
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

CofStatus cof_mean_chroma(const CofImage *image, const CofImage *mask, double *chroma,
                          const CofOptions *options)
{
    CofiCall call;
    CofImage mask_view;
    RowJob p = {.call = &call, .lab = true, .mask = mask ? &mask_view : NULL};
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    status = cofi_check_pointer(&call, chroma, "chroma");
    if (status == COF_OK)
        status = cofi_check_image(&call, image, "image", &p.in);
    if (status == COF_OK && cofi_family(p.in.kind) != COF_KIND_RGB)
        status = cofi_mismatch(&call, "image", "only an RGB image has chroma");
    if (status == COF_OK && mask)
        status = cofi_check_bytes(&call, mask, "mask", &p.in, &mask_view);
    if (status == COF_OK)
        status = measure(&p, chroma);
    return cofi_call_end(&call, status);
}
