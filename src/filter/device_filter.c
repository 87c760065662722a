/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter on a device: labels, passes and the result of grey and RGB. */
#include "filter/device_filter.h"

#include <assert.h>
#include <string.h>

#include "call/device_call.h"
#include "call/resident.h"
#include "filter/pass_change.h"
#include "image/device_image.h"
#include "image/image.h"
#include "learn/device_labels.h"

/* Taps after which a call asks whether it is cancelled: about a tenth of a second of a CPU, and of
 * a small GPU. */
#define STEP_TAPS_CPU 2e8
#define STEP_TAPS_GPU 4e9

/* The view in coordinates of the input. */
static CofRect in_input(const CofiFilter *f)
{
    CofRect rect = f->view;
    rect.x -= f->job.in->x;
    rect.y -= f->job.in->y;
    return rect;
}

/* Are labels found again in each pass, and can the device do that? */
static bool refuses_update(const CofiFilter *f)
{
    const CofiCall *call = f->call;
    bool updates = call->options.update != COF_UPDATE_NONE && f->job.iterations > 1;
    return updates && !(f->lab && call->module->opened(call->device)->has_double);
}

/* Why the device cannot do the job; NULL: it can. */
static const char *refuses_job(const CofiFilter *f)
{
    const CofiFilterJob *job = &f->job;
    if (job->host_only || job->fallback)
        return "this kind of filter runs on the CPU";
    const char *refused = cofi_device_refuses(f->call, job->in, in_input(f));
    if (refused)
        return refused;
    const CofiCall *call = f->call;
    if (f->plan.possible &&
        !call->module->can_be_fast(call->device, f->plan.grid.step, f->plan.grid.radius))
        return "the device is too small for the grid of the fast method";
    if (job->members > 1)
        return "several palettes are filtered by the CPU";
    if (job->fidelity > 0 || job->detail != 0)
        return "strength, detail and fidelity are computed by the CPU";
    return refuses_update(f) ? "labels are updated on a device only for RGB in Lab" : NULL;
}

/* Alphas are as precise as those of the samples. Without alphas, only gaps are to be marked. */
static int alpha_bytes(const CofImage *in)
{
    return cofi_has_alpha(in) ? (int)cofi_sample_size(in->sample) : 1;
}

static CofStatus take_image(CofiFilter *f)
{
    const CofImage *in = f->job.in, *guide = f->job.guide;
    bool has_gaps = cofi_may_have_gaps(in) || (guide && cofi_may_have_gaps(guide));
    CofiDeviceUse use = {
        .filtered = true, .lab = f->lab, .alpha_bytes = has_gaps ? alpha_bytes(in) : 0};
    size_t bytes = 1 + (size_t)alpha_bytes(in);
    if (has_gaps)
        f->device_alphas =
            cofi_call_take_raw(f->call, bytes * (size_t)f->view.height, (size_t)f->view.width);
    if (has_gaps && !f->device_alphas)
        return COF_ERR_MEMORY;
    return cofi_device_image_new(f->call, &f->colour, in, in_input(f), use, &f->device);
}

CofStatus cofi_device_filter_open(CofiFilter *f)
{
    CofiCall *call = f->call;
    const char *refused = call->device ? refuses_job(f) : NULL;
    if (!call->device)
        return COF_OK;
    CofStatus status = refused ? COF_OK : take_image(f);
    if (status == COF_ERR_MEMORY)
        refused = COFI_DEVICE_MEMORY;
    if (!refused)
        return status;
    cofi_call_left_to_cpu(call, refused);
    return cofi_resident_read(call);
}

void cofi_device_filter_close(CofiFilter *f)
{
    if (f->device)
        f->call->module->image_free(f->device);
    f->device = NULL;
}

/* The plane that says where there is data. */
static uint8_t *valid_plane(const CofiFilter *f)
{
    return f->device_alphas + (ptrdiff_t)alpha_bytes(f->job.in) * f->view.height * f->view.width;
}

/* Writes the alphas of a row: numbers as in the image, or floats of 0..1. */
static void fill_row(const CofImage *in, int x, int y, int n, const uint8_t *valid, uint8_t *alphas)
{
    const unsigned char *from = cofi_pixel(in, x, y) + (in->channels - 1) * in->channel_stride;
    int bytes = alpha_bytes(in);
    for (int i = 0; i < n; i++, from += in->pixel_stride, alphas += bytes) {
        float alpha = 0;
        if (!valid[i]) {
            memset(alphas, 0, (size_t)bytes);
        } else if (in->sample == COF_SAMPLE_F32 && bytes == 4) {
            cofi_load_row(in, in->channels - 1, x + i, y, 1, &alpha);
            alpha = alpha > 0 ? alpha < 1 ? alpha : 1 : 0;
            memcpy(alphas, &alpha, sizeof alpha);
        } else if (cofi_has_alpha(in)) {
            memcpy(alphas, from, (size_t)bytes);
        } else {
            *alphas = 255;
        }
    }
}

/* Fills rows of both planes. */
static void fill_alphas(void *context, int first, int last, int worker)
{
    (void)worker;
    const CofiFilter *f = context;
    const CofImage *in = f->job.in, *guide = f->job.guide;
    CofRect rect = in_input(f);
    for (int y = first; y < last; y++) {
        ptrdiff_t at = (ptrdiff_t)y * rect.width;
        uint8_t *valid = valid_plane(f) + at;
        memset(valid, 1, (size_t)rect.width);
        cofi_valid_row(in, rect.x, rect.y + y, rect.width, valid);
        if (guide)
            cofi_valid_row(guide, rect.x, rect.y + y, rect.width, valid);
        fill_row(in, rect.x, rect.y + y, rect.width, valid,
                 f->device_alphas + alpha_bytes(in) * at);
    }
}

/* The number of pixels of the part that have data. */
static double count_valid(const CofiFilter *f)
{
    CofRect part = cofi_filter_in_view(f, f->job.part);
    double pixels = (double)part.width * part.height;
    for (int y = 0; y < part.height && f->device_alphas; y++) {
        const uint8_t *valid = valid_plane(f) + part.x + (ptrdiff_t)(part.y + y) * f->view.width;
        for (int x = 0; x < part.width; x++)
            pixels -= !valid[x];
    }
    return pixels;
}

static CofStatus send_alphas(CofiFilter *f)
{
    CofStatus status = COF_OK;
    if (f->device_alphas)
        status = cofi_call_rows(f->call, f->view.height, 0, fill_alphas, f);
    if (status == COF_OK && f->device_alphas)
        status = f->call->module->write_alphas(f->device, f->device_alphas);
    if (status == COF_OK)
        f->device_pixels = count_valid(f);
    return cofi_call_check_begun(f->call, status);
}

CofStatus cofi_device_filter_send(CofiFilter *f)
{
    assert(f->device && !f->is_sent);
    cofi_call_stage(f->call, COF_STAGE_COLOUR);
    CofStatus status = cofi_device_image_send(f->call, f->device, f->job.in, in_input(f));
    if (status == COF_OK)
        status = send_alphas(f);
    f->is_sent = status == COF_OK;
    return status;
}

/* Sends the input, unless it has been sent; and makes working values of it, unless these are found
 * with the labels. */
static CofStatus load(CofiFilter *f, bool with_labels)
{
    CofStatus status = f->is_sent ? COF_OK : cofi_device_filter_send(f);
    cofi_call_stage(f->call, COF_STAGE_COLOUR);
    if (status == COF_OK && !with_labels)
        status = cofi_call_check_begun(f->call, f->call->module->load(f->device));
    if (status == COF_OK)
        cofi_call_ran_on_device(f->call, COF_STAGE_COLOUR);
    return status;
}

/* A palette, and whether it labels working values. */
typedef struct Labelling {
    CofiFilter *filter;
    const CofiPalette *palette;
} Labelling;

/* Are working values and labels those of Lab? */
static bool is_all_lab(const CofiFilter *f, const CofiPalette *palette)
{
    return f->lab && palette && palette->family == COF_KIND_RGB;
}

static CofStatus label_bytes(void *context, int index)
{
    (void)index;
    const Labelling *l = context;
    CofiFilter *f = l->filter;
    if (!is_all_lab(f, l->palette))
        return cofi_device_label(f->call, f->device, &f->colour, l->palette);
    CofStatus status =
        f->call->module->load_and_label(f->device, l->palette->centres, l->palette->k);
    if (status == COF_OK)
        cofi_call_ran_on_device(f->call, COF_STAGE_LABELS);
    return status;
}

static CofStatus label_values(void *context, int index)
{
    (void)index;
    const Labelling *l = context;
    CofStatus status =
        l->filter->call->module->label(l->filter->device, l->palette->centres, l->palette->k, true);
    if (status == COF_OK)
        cofi_call_ran_on_device(l->filter->call, COF_STAGE_LABELS);
    return status;
}

CofStatus cofi_device_filter_label(CofiFilter *f, const CofiPalette *palette)
{
    assert(f->device && f->passes == 0);
    CofStatus status = load(f, is_all_lab(f, palette));
    Labelling labelling = {f, palette};
    cofi_call_stage(f->call, COF_STAGE_LABELS);
    if (status != COF_OK)
        return status;
    status = palette ? cofi_call_steps(f->call, 1, 1, label_bytes, &labelling)
                     : f->call->module->write_labels(f->device, f->labels);
    return cofi_call_check_begun(f->call, status);
}

CofStatus cofi_device_filter_relabel(CofiFilter *f, const CofiPalette *palette)
{
    assert(f->device && f->lab && palette->type == COFI_PALETTE_CENTRES);
    Labelling labelling = {f, palette};
    cofi_call_stage(f->call, COF_STAGE_LABELS);
    return cofi_call_check_begun(f->call, cofi_call_steps(f->call, 1, 1, label_values, &labelling));
}

/* The rows of a pass, some at a time. */
typedef struct Strips {
    CofiFilter *filter;
    int rows, strip;
} Strips;

static CofStatus filter_strip(void *context, int index)
{
    const Strips *s = context;
    int first = index * s->strip;
    int last = s->rows - first < s->strip ? s->rows : first + s->strip;
    return s->filter->call->module->pass_rows(s->filter->device, first, last);
}

/* All rows at once, unless progress is reported. */
static int strip_rows(const CofiFilter *f, CofRect rect)
{
    int unit = f->call->module->strip_rows;
    bool is_gpu = f->call->module->opened(f->call->device)->type == COF_DEVICE_TYPE_GPU;
    double taps = (double)f->job.window * f->job.window * rect.width * unit;
    double most = is_gpu ? STEP_TAPS_GPU : STEP_TAPS_CPU;
    int units = taps >= most ? 1 : (int)(most / taps);
    int64_t rows = (int64_t)units * unit;
    return !f->call->options.progress || rows > rect.height ? rect.height : (int)rows;
}

static CofiDevicePass pass_of(const CofiFilter *f, int k, CofRect rect)
{
    CofiDevicePass pass = {.matrix = f->members[0].weights.matrix,
                           .k = k,
                           .stride = cofi_matrix_stride(k),
                           .gauss = f->members[0].weights.gauss,
                           .radius = f->radius,
                           .border = f->job.border,
                           .rect = cofi_filter_in_view(f, rect),
                           .measured = cofi_pass_is_measured(f),
                           .part = cofi_filter_in_view(f, f->job.part)};
    for (int band = 0; band < f->bands; band++)
        pass.units[band] = (float)cofi_pass_unit(f, band);
    return pass;
}

/* `taps` receives those of the grid, multiplied by its scale. */
static CofiDeviceFast fast_of(const CofiFilter *f, float taps[COFI_MAX_GRID_RADIUS + 1])
{
    const CofiGrid *grid = &f->plan.grid;
    const CofiLowRank *low_rank = f->members[0].low_rank;
    if (!low_rank)
        return (CofiDeviceFast){0};
    for (int i = 0; i <= grid->radius; i++)
        taps[i] = grid->taps[i] * grid->scale;
    return (CofiDeviceFast){.step = grid->step,
                            .radius = grid->radius,
                            .taps = taps,
                            .terms = low_rank->ranks,
                            .each = low_rank->each,
                            .in = low_rank->in[0],
                            .out = low_rank->out[0],
                            .trust = low_rank->trust_threshold};
}

CofStatus cofi_device_filter_pass(CofiFilter *f, const CofModel *model, CofRect rect, bool is_fast,
                                  double *change)
{
    assert(f->device && f->bands <= 3);
    const CofiDeviceModule *module = f->call->module;
    cofi_weights_fill(&f->members[0].weights, model->matrix, model->palette.k);
    CofiDevicePass pass = pass_of(f, model->palette.k, rect);
    float taps[COFI_MAX_GRID_RADIUS + 1];
    CofiDeviceFast fast = fast_of(f, taps);
    if (is_fast)
        pass.fast = &fast;
    Strips strips = {f, rect.height, strip_rows(f, rect)};
    int steps = (rect.height - 1) / strips.strip + 1;
    CofStatus status = module->pass_start(f->device, &pass);
    if (status == COF_OK)
        status = cofi_call_steps(f->call, steps, COFI_PASS_UNITS, filter_strip, &strips);
    if (status == COF_OK)
        status = module->pass_end(f->device, change);
    if (status != COF_OK)
        return cofi_call_check_begun(f->call, status);
    cofi_call_ran_on_device(f->call, COF_STAGE_FILTER);
    *change = f->device_pixels > 0 ? *change / (f->device_pixels * f->bands) : 0;
    f->passes++;
    return COF_OK;
}

CofStatus cofi_device_filter_store(CofiFilter *f)
{
    const CofImage *out = f->job.out;
    CofRect part = cofi_filter_in_view(f, f->job.part), to = f->job.part;
    to.x -= out->x;
    to.y -= out->y;
    CofStatus status = cofi_call_check_begun(f->call, f->call->module->store(f->device));
    if (status == COF_OK)
        status =
            cofi_device_image_fetch(f->call, f->device, f->view.width, part.x, part.y, out, to, 1);
    if (status == COF_OK)
        cofi_call_ran_on_device(f->call, COF_STAGE_STORE);
    return status;
}
