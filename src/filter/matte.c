/* SPDX-License-Identifier: BSD-2-Clause */
/* The matte: how much of each pixel p is foreground. alpha and beta sum the likelihood of all
 * pixels q of the window for the foreground and the background: how frequent the pair of values (p,
 * q) is in each. The matte is alpha / (alpha + beta). */
#include "filter/matte.h"

#include <assert.h>

#include "image/image.h"

#define TILE_ROWS 32

/* The weights of the foreground or the background. */
typedef struct Side {
    CofiWeights weights;
    double *matrix; /* k x k */
} Side;

typedef struct Matting {
    CofiFilter *filter;
    CofiSource source;
    const CofImage *prior;
    Side sides[2];
    int k;
    CofRect rect; /* in coordinates of the view */
    int tile_width, columns, rows;
    unsigned char *line_memory; /* line buffers of the workers */
    size_t line_bytes;
    float *sums;         /* three rows of each worker: alpha, beta, prior */
    uint8_t *has_weight; /* one row of each worker */
} Matting;

/* M is the lift of a pair. A colour that is rare in a region but concentrated there has the largest
 * lift; how frequent the pair is says better which region it belongs to. */
static void fill_matrix(Side *side, const CofModel *model, CofLikelihood likelihood)
{
    int k = model->palette.k;
    const double *pi = model->frequencies;
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            double times = likelihood == COF_LIKELIHOOD_JOINT ? pi[a] * pi[b] : 1;
            side->matrix[a * k + b] = model->matrix[a * k + b] * times;
        }
}

static CofStatus take_side(Matting *m, Side *side, const CofModel *model, CofLikelihood likelihood)
{
    CofiFilter *f = m->filter;
    size_t k = (size_t)m->k;
    side->matrix = cofi_call_take_raw(f->call, k * k, sizeof *side->matrix);
    CofStatus status = side->matrix
                           ? cofi_weights_take(&side->weights, f->call, f->radius, f->job.sigma)
                           : COF_ERR_MEMORY;
    if (status != COF_OK)
        return status;
    fill_matrix(side, model, likelihood);
    cofi_weights_fill(&side->weights, side->matrix, m->k);
    return COF_OK;
}

static CofStatus take_workers(Matting *m)
{
    CofiCall *call = m->filter->call;
    size_t threads = (size_t)call->threads, width = (size_t)m->tile_width;
    size_t bytes = cofi_line_buffer_size(&m->source, m->filter->radius, m->tile_width);
    m->line_bytes = (bytes + COFI_ALIGNMENT - 1) / COFI_ALIGNMENT * COFI_ALIGNMENT;
    m->line_memory = cofi_call_take(call, threads, m->line_bytes);
    m->sums = cofi_call_take(call, 3 * threads, width * sizeof *m->sums);
    m->has_weight = cofi_call_take(call, threads, width);
    return m->line_memory && m->sums && m->has_weight ? COF_OK : COF_ERR_MEMORY;
}

static CofiTaps taps_of(const Matting *m, const CofiLineBuffer *lines, const CofiWeights *weights)
{
    return (CofiTaps){.matrix = weights->matrix,
                      .bytes = weights->bytes,
                      .k = m->k,
                      .radius = lines->radius,
                      .gauss = weights->gauss,
                      .weights = weights->window + COFI_WEIGHT_MARGIN,
                      .weight_stride = weights->stride,
                      .labels = lines->label_rows,
                      .alphas = lines->alpha_rows,
                      .stride = lines->stride};
}

/* Loads the prior of n pixels from (x, y) of the view on. */
static void load_prior(const Matting *m, int x, int y, int n, float *prior)
{
    const CofImage *image = m->prior, *in = m->filter->job.in;
    if (!image) {
        for (int i = 0; i < n; i++)
            prior[i] = 0.5f;
        return;
    }
    float full = (float)cofi_sample_max(image->sample);
    cofi_load_row(image, 0, m->filter->view.x - in->x + x, m->filter->view.y - in->y + y, n, prior);
    for (int i = 0; i < n; i++)
        prior[i] = prior[i] <= 0 ? 0 : prior[i] >= full ? 1 : prior[i] / full;
}

/* Computes row y of a tile. Where neither side is likely, the prior decides; without a prior, such
 * pixels count as foreground, so that they are kept, and so do pixels without data. */
static void matte_row(const Matting *m, const CofiLineBuffer *lines, int y, int worker)
{
    int n = lines->tile.width;
    float *rows[3];
    for (int i = 0; i < 3; i++)
        rows[i] = m->sums + (3 * worker + i) * (ptrdiff_t)m->tile_width;
    for (int i = 0; i < 2; i++) {
        CofiTaps taps = taps_of(m, lines, &m->sides[i].weights);
        taps.columns = cofi_filter_columns(m->filter, &m->filter->workers[worker]);
        taps.column_stride = m->filter->column_stride;
        m->filter->colour.kernels.filter_row(&taps, 0, n, &rows[i],
                                             m->has_weight + worker * (ptrdiff_t)m->tile_width);
    }
    load_prior(m, lines->tile.x, y, n, rows[2]);
    ptrdiff_t at = (ptrdiff_t)y * m->filter->view.width + lines->tile.x;
    const uint8_t *labels = m->filter->labels + at, *valid = cofi_line_buffer_valid(lines, 0, y);
    float *matte = m->filter->matte + at;
    for (int x = 0; x < n; x++) {
        double prior = (double)rows[2][x];
        double alpha = prior * (double)rows[0][x] * m->sides[0].weights.largest[labels[x]];
        double beta = (1 - prior) * (double)rows[1][x] * m->sides[1].weights.largest[labels[x]];
        double unknown = m->prior ? prior : 1;
        double share = alpha + beta > 0 ? alpha / (alpha + beta) : unknown;
        matte[x] = !valid || valid[x] ? (float)share : 1;
    }
}

static void matte_tile(void *context, int index, int worker)
{
    const Matting *m = context;
    int column = index / m->rows, row = index % m->rows;
    CofRect tile = {m->rect.x + column * m->tile_width, m->rect.y + row * TILE_ROWS, m->tile_width,
                    TILE_ROWS};
    tile = cofi_rect_intersect(tile, m->rect);
    CofiLineBuffer lines;
    cofi_line_buffer_start(&lines, m->line_memory + (size_t)worker * m->line_bytes, &m->source,
                           m->filter->radius, m->tile_width, tile);
    for (int y = tile.y; y < tile.y + tile.height; y++) {
        cofi_line_buffer_move(&lines, y);
        matte_row(m, &lines, y, worker);
    }
}

CofStatus cofi_filter_matte(CofiFilter *f, const CofModel *foreground, const CofModel *background,
                            const CofImage *prior, CofLikelihood likelihood)
{
    assert(foreground->palette.k == background->palette.k);
    cofi_call_stage(f->call, COF_STAGE_FILTER);
    Matting m = {
        .filter = f, .source = cofi_filter_source(f), .prior = prior, .k = foreground->palette.k};
    int passes = cofi_filter_job_passes(f->job.iterations, f->job.fidelity);
    CofRect rect = cofi_rect_grow(f->job.part, f->reach * (passes - 1), cofi_full_rect(f->job.in));
    m.source.bands = 0; /* labels and alphas are enough */
    m.source.lab = false;
    m.rect = cofi_filter_in_view(f, rect);
    m.tile_width = cofi_line_buffer_width(&m.source, f->radius);
    m.columns = (rect.width - 1) / m.tile_width + 1;
    m.rows = (rect.height - 1) / TILE_ROWS + 1;
    f->matte =
        cofi_call_take(f->call, (size_t)f->view.height, (size_t)f->view.width * sizeof(float));
    CofStatus status = f->matte ? take_workers(&m) : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = take_side(&m, &m.sides[0], foreground, likelihood);
    if (status == COF_OK)
        status = take_side(&m, &m.sides[1], background, likelihood);
    if (status == COF_OK)
        status = cofi_call_tasks(f->call, m.columns * m.rows, COFI_PASS_UNITS, matte_tile, &m);
    return status;
}

static void store_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const CofiFilter *f = context;
    const CofImage *out = f->job.out;
    CofRect part = cofi_filter_in_view(f, f->job.part);
    float full = (float)cofi_sample_max(out->sample), values[256];
    for (int y = first; y < last; y++)
        for (int x = 0; x < part.width; x += (int)(sizeof values / sizeof values[0])) {
            int left = part.width - x, most = (int)(sizeof values / sizeof values[0]);
            int n = left < most ? left : most;
            const float *matte = f->matte + (ptrdiff_t)(part.y + y) * f->view.width + part.x + x;
            for (int i = 0; i < n; i++)
                values[i] = matte[i] * full;
            cofi_store_row(out, 0, f->job.part.x + x - out->x, f->job.part.y + y - out->y, n,
                           values);
        }
}

void cofi_filter_store_matte(CofiFilter *f)
{
    assert(f->matte);
    assert(f->job.out->kind == COF_KIND_GREY);
    cofi_call_stage(f->call, COF_STAGE_STORE);
    cofi_call_output_rows(f->call, f->job.part.height, 1, store_rows, f);
}
