/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter on a device: labels, passes and the result of grey and RGB. */
#include "filter/device_filter.h"

#include <assert.h>
#include <string.h>

#include "call/device_call.h"
#include "call/resident.h"
#include "image/device_image.h"
#include "image/image.h"
#include "learn/device_labels.h"

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
    return updates && !call->module->opened(call->device)->has_double;
}

const char *cofi_device_filter_refuses(const CofiFilter *f)
{
    const CofiFilterJob *job = &f->job;
    if (job->host_only)
        return "this kind of filter runs on the CPU";
    const char *refused = cofi_device_refuses(f->call, job->in);
    if (refused)
        return refused;
    const CofiCall *call = f->call;
    if (f->plan.possible &&
        !call->module->can_be_fast(call->device, f->plan.grid.step, f->plan.grid.radius))
        return "the device is too small for the grid of the fast method";
    return refuses_update(f) ? "the device has no double precision, which updated labels need"
                             : NULL;
}

/* Alphas are as precise as those of the samples. Without alphas, only gaps are to be marked. */
static int alpha_bytes(const CofImage *in)
{
    return cofi_has_alpha(in) ? (int)cofi_sample_size(in->sample) : 1;
}

/* May pixels have no data that a device does not know of? */
static bool has_mask(const CofiFilter *f)
{
    const CofImage *in = f->job.in, *guide = f->job.guide;
    return in->valid || (guide && (guide->valid || guide->sample == COF_SAMPLE_F32));
}

static CofiDeviceUse use_of(const CofiFilter *f)
{
    const CofImage *in = f->job.in;
    bool has_gaps = cofi_may_have_gaps(in) || has_mask(f);
    return (CofiDeviceUse){.filtered = true,
                           .lab = f->lab,
                           .keeps = f->job.fidelity > 0,
                           .refined = f->job.refinement != NULL,
                           .members = f->job.members,
                           .alpha_bytes = has_gaps ? alpha_bytes(in) : 0};
}

static CofStatus take_image(CofiFilter *f)
{
    CofiDeviceUse use = use_of(f);
    if (has_mask(f))
        f->device_valid =
            cofi_call_take_raw(f->call, (size_t)f->view.height, (size_t)f->view.width);
    if (has_mask(f) && !f->device_valid)
        return COF_ERR_MEMORY;
    return cofi_device_image_new(f->call, &f->colour, f->job.in, in_input(f), use, &f->device);
}

int64_t cofi_device_filter_max_pixels(const CofiFilter *f)
{
    return cofi_device_max_pixels(f->call, f->job.in, use_of(f));
}

CofStatus cofi_device_filter_open(CofiFilter *f)
{
    CofiCall *call = f->call;
    const char *refused = call->device ? cofi_device_filter_refuses(f) : NULL;
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

/* Fills rows of the plane that says where there is data. */
static void fill_valid(void *context, int first, int last, int worker)
{
    (void)worker;
    const CofiFilter *f = context;
    CofRect rect = in_input(f);
    for (int y = first; y < last; y++) {
        uint8_t *valid = f->device_valid + (ptrdiff_t)y * rect.width;
        memset(valid, 1, (size_t)rect.width);
        if (f->job.in->valid)
            cofi_valid_row(f->job.in, rect.x, rect.y + y, rect.width, valid);
        if (f->job.guide)
            cofi_valid_row(f->job.guide, rect.x, rect.y + y, rect.width, valid);
    }
}

static CofStatus find_alphas(CofiFilter *f)
{
    CofStatus status = COF_OK;
    if (f->device_valid)
        status = cofi_call_rows(f->call, f->view.height, 0, fill_valid, f);
    f->has_alphas = use_of(f).alpha_bytes > 0;
    if (status == COF_OK && f->has_alphas)
        status =
            f->call->module->find_alphas(f->device, f->device_valid, cofi_has_alpha(f->job.in));
    return cofi_call_check_begun(f->call, status);
}

CofStatus cofi_device_filter_send(CofiFilter *f)
{
    assert(f->device && !f->is_sent);
    cofi_call_stage(f->call, COF_STAGE_COLOUR);
    CofStatus status = cofi_device_image_send(f->call, f->device, f->job.in, in_input(f));
    if (status == COF_OK)
        status = find_alphas(f);
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

/* Palettes, and whether the first one also makes working values. */
typedef struct Labelling {
    CofiFilter *filter;
    const CofiPalette *const *palettes;
    bool loads;
} Labelling;

static CofStatus label_step(void *context, int index)
{
    const Labelling *l = context;
    CofiFilter *f = l->filter;
    const CofiPalette *palette = l->palettes[index];
    f->call->module->choose(f->device, index);
    if (index > 0 || !l->loads)
        return cofi_device_label(f->call, f->device, &f->colour, palette);
    CofStatus status = f->call->module->load_and_label(f->device, palette->centres, palette->k);
    if (status == COF_OK)
        cofi_call_ran_on_device(f->call, COF_STAGE_LABELS);
    return status;
}

/* Labels of all members. */
static CofStatus label_samples(Labelling *labelling)
{
    int members = labelling->filter->job.members;
    return cofi_call_steps(labelling->filter->call, members, members, label_step, labelling);
}

static CofStatus write_labels(CofiFilter *f)
{
    CofStatus status = COF_OK;
    for (int i = 0; i < f->job.members && status == COF_OK; i++) {
        f->call->module->choose(f->device, i);
        status = f->call->module->write_labels(f->device, f->member_labels[i]);
    }
    return status;
}

CofStatus cofi_device_filter_label(CofiFilter *f, const CofiPalette *const *palettes)
{
    assert(f->device && f->passes == 0);
    Labelling labelling = {f, palettes, false};
    /* Are working values and labels those of Lab, and of the same samples? */
    if (palettes && !f->job.guide)
        labelling.loads = f->lab && palettes[0]->family == COF_KIND_RGB;
    CofStatus status = load(f, labelling.loads);
    cofi_call_stage(f->call, COF_STAGE_LABELS);
    if (status == COF_OK)
        status = palettes ? label_samples(&labelling) : write_labels(f);
    f->call->module->choose(f->device, 0);
    return cofi_call_check_begun(f->call, status);
}

bool cofi_device_filter_labels(const CofiFilter *f, const CofiPalette *const *palettes)
{
    const CofImage *guide = f->job.guide;
    bool labels = f->device && !guide;
    for (int i = 0; i < f->job.members && labels; i++)
        labels = cofi_device_can_label(f->call, palettes[i], f->job.in->sample);
    return labels;
}

void cofi_device_filter_restart(CofiFilter *f, int member)
{
    f->call->module->choose(f->device, member);
    f->is_stale = f->passes > 0;
}

typedef struct Relabelling {
    CofiFilter *filter;
    const CofiPalette *palette;
} Relabelling;

/* Centres of grey as those of three bands, of which two are 0, as they are in working values. */
static CofStatus label_by_grey_centres(const CofiFilter *f, const CofiPalette *palette)
{
    float centres[3 * COF_MAX_COLOURS] = {0};
    for (int i = 0; i < palette->k; i++)
        centres[3 * i] = palette->centres[i];
    return f->call->module->label(f->device, centres, palette->k, true);
}

static CofStatus relabel(const CofiFilter *f, const CofiPalette *palette)
{
    const CofiDeviceModule *module = f->call->module;
    if (palette->family == COF_KIND_GREY && palette->type == COFI_PALETTE_CENTRES)
        return label_by_grey_centres(f, palette);
    if (palette->family == COF_KIND_GREY)
        return module->relabel_grey(f->device, palette->type == COFI_PALETTE_EXACT, palette->low,
                                    palette->high, palette->k);
    return f->lab ? module->label(f->device, palette->centres, palette->k, true)
                  : module->relabel_rgb(f->device, palette->centres, palette->k);
}

static CofStatus label_values(void *context, int index)
{
    (void)index;
    const Relabelling *r = context;
    CofiCall *call = r->filter->call;
    CofStatus status = relabel(r->filter, r->palette);
    if (status == COF_OK)
        cofi_call_ran_on_device(call, COF_STAGE_LABELS);
    return status;
}

CofStatus cofi_device_filter_relabel(CofiFilter *f, const CofiPalette *palette)
{
    assert(f->device);
    Relabelling relabelling = {f, palette};
    cofi_call_stage(f->call, COF_STAGE_LABELS);
    return cofi_call_check_begun(f->call,
                                 cofi_call_steps(f->call, 1, 1, label_values, &relabelling));
}
