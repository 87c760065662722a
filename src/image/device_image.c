/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of a call in the memory of its device. */
#include "image/device_image.h"

#include <assert.h>
#include <string.h>

#include "call/device_call.h"
#include "image/image.h"

const char *cofi_device_refuses(const CofiCall *call, const CofImage *image)
{
    if (image->sample != COF_SAMPLE_U8 && !call->module->opened(call->device)->has_double)
        return "the device has no double precision, which 16-bit and float samples need";
    if (image->kind == COF_KIND_BANDS)
        return "only grey and RGB are processed on a device";
    return NULL;
}

/* Without its tables. */
static CofiDeviceView view_of(const CofImage *image, CofRect rect, CofiDeviceUse use)
{
    return (CofiDeviceView){.width = rect.width,
                            .height = rect.height,
                            .x = image->x + rect.x,
                            .y = image->y + rect.y,
                            .full_width = image->full_width,
                            .full_height = image->full_height,
                            .sample = image->sample,
                            .channels = image->channels,
                            .bands = cofi_bands(image),
                            .lab = use.lab,
                            .filtered = use.filtered,
                            .members = use.filtered ? use.members : 1,
                            .keeps = use.keeps,
                            .refined = use.refined,
                            .alpha_bytes = use.alpha_bytes};
}

int64_t cofi_device_max_pixels(const CofiCall *call, const CofImage *image, CofiDeviceUse use)
{
    CofiDeviceView view = view_of(image, (CofRect){0}, use);
    return call->module->max_pixels(call->device, &view);
}

/* The linear light of all integers of an RGB image; *linear remains NULL for others. */
static CofStatus find_linear(CofiCall *call, const CofiColour *colour, const CofImage *image,
                             const float **linear)
{
    int n = image->sample == COF_SAMPLE_U8 ? 256 : 65536;
    *linear = colour->linear;
    if (*linear || cofi_family(image->kind) != COF_KIND_RGB || image->sample == COF_SAMPLE_F32)
        return COF_OK;
    float *table = cofi_call_take_raw(call, (size_t)n, sizeof *table);
    if (!table)
        return COF_ERR_MEMORY;
    cofi_colour_decode(colour, n, table);
    *linear = table;
    return COF_OK;
}

CofStatus cofi_device_image_new(CofiCall *call, const CofiColour *colour, const CofImage *image,
                                CofRect rect, CofiDeviceUse use, CofiDeviceImage **out)
{
    assert(call->device && !cofi_device_refuses(call, image));
    if ((int64_t)rect.width * rect.height > cofi_device_max_pixels(call, image, use))
        return COF_ERR_MEMORY;
    CofiMark mark = cofi_call_mark(call);
    CofiDeviceView view = view_of(image, rect, use);
    view.encoding = use.lab && use.filtered ? colour->encoding : NULL;
    CofStatus status = find_linear(call, colour, image, &view.linear);
    if (status == COF_OK)
        status = cofi_call_check_device(call, call->module->image_new(call->device, &view, out));
    cofi_call_release(call, mark);
    return status;
}

/* Bytes that are sent at a time. */
#define STRIP_BYTES (6 << 20)

/* Packed pixels, and where they lie in an image. */
typedef struct Packed {
    uint8_t *bytes;
    const CofImage *image;
    CofRect rect;
    int width; /* of the packed rows */
} Packed;

static ptrdiff_t pixel_size(const CofImage *image)
{
    return (ptrdiff_t)cofi_sample_size(image->sample) * image->channels;
}

static bool is_packed(const CofImage *image)
{
    return image->channel_stride == (ptrdiff_t)cofi_sample_size(image->sample) &&
           image->pixel_stride == pixel_size(image);
}

/* A view of the packed pixels that lie at the rectangle of the image. */
static CofImage packed_view(const Packed *p)
{
    CofImage view = *p->image;
    view.data = p->bytes;
    view.channel_stride = (ptrdiff_t)cofi_sample_size(view.sample);
    view.pixel_stride = pixel_size(&view);
    view.row_stride = p->width * view.pixel_stride;
    view.width = p->rect.width;
    view.height = p->rect.height;
    return view;
}

static void copy_row(const CofImage *from, int from_x, int from_y, const CofImage *to, int to_x,
                     int to_y, int n)
{
    if (is_packed(from) && is_packed(to)) {
        memcpy(cofi_pixel(to, to_x, to_y), cofi_pixel(from, from_x, from_y),
               (size_t)n * (size_t)pixel_size(to));
        return;
    }
    for (int channel = 0; channel < to->channels; channel++)
        cofi_copy_row(from, from_x, from_y, to, to_x, to_y, channel, n, NULL);
}

static void pack_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Packed *p = context;
    CofImage view = packed_view(p);
    for (int y = first; y < last; y++)
        copy_row(p->image, p->rect.x, p->rect.y + y, &view, 0, y, p->rect.width);
}

static void unpack_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Packed *p = context;
    CofImage view = packed_view(p);
    for (int y = first; y < last; y++)
        copy_row(&view, 0, y, p->image, p->rect.x, p->rect.y + y, p->rect.width);
}

/* Rows that are sent while the next ones are packed. */
static int strip_rows(const CofImage *image, CofRect rect)
{
    int rows = STRIP_BYTES / (int)pixel_size(image) / rect.width;
    return rows < 1 ? 1 : rows;
}

/* A rectangle of an image in a buffer of the caller. */
static CofiDeviceBuffer buffer_of(const CofiResident *resident, const CofImage *image, CofRect rect)
{
    size_t pixel = (size_t)pixel_size(image);
    return (CofiDeviceBuffer){.memory = resident->memory,
                              .offset = (size_t)rect.y * resident->stride + (size_t)rect.x * pixel,
                              .stride = resident->stride,
                              .row_bytes = (size_t)rect.width * pixel,
                              .rows = rect.height};
}

CofStatus cofi_device_image_send(CofiCall *call, CofiDeviceImage *on_device, const CofImage *image,
                                 CofRect rect)
{
    if (call->resident_in.memory && image->data == call->resident_in.host) {
        CofiDeviceBuffer from = buffer_of(&call->resident_in, image, rect);
        return cofi_call_check_begun(call, call->module->copy_in(on_device, &from));
    }
    Packed all = {.image = image, .rect = rect, .width = rect.width};
    CofStatus status = cofi_call_check_begun(call, call->module->stage(on_device, &all.bytes));
    int rows = strip_rows(image, rect), left = rect.height;
    for (int first = 0; left > 0 && status == COF_OK; first += rows, left -= rows) {
        Packed strip = all;
        rows = left < rows ? left : rows;
        strip.bytes += (size_t)first * (size_t)rect.width * (size_t)pixel_size(image);
        strip.rect.y += first;
        strip.rect.height = rows;
        status = cofi_call_rows(call, rows, 0, pack_rows, &strip);
        if (status == COF_OK)
            status = cofi_call_check_begun(call,
                                           call->module->send_rows(on_device, first, first + rows));
    }
    return status;
}

CofStatus cofi_device_image_fetch(CofiCall *call, CofiDeviceImage *on_device, int width, int x,
                                  int y, const CofImage *out, CofRect part, double units)
{
    Packed packed = {.image = out, .rect = part, .width = width};
    uint8_t *bytes;
    if (call->resident_out.memory && out->data == call->resident_out.host) {
        CofiDeviceBuffer to = buffer_of(&call->resident_out, out, part);
        call->resident_out.is_current = true;
        return cofi_call_check_begun(call, call->module->copy_out(on_device, &to, x, y));
    }
    CofStatus status = call->module->stage(on_device, &bytes);
    if (status == COF_OK)
        status = call->module->fetch_rows(on_device, y, y + part.height);
    if (status != COF_OK)
        return cofi_call_check_begun(call, status);
    /* All rows have come, so that a device that fails leaves the output as it was. */
    packed.bytes = bytes + ((ptrdiff_t)y * width + x) * pixel_size(out);
    cofi_call_output_rows(call, part.height, units, unpack_rows, &packed);
    return COF_OK;
}
