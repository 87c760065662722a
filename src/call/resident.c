/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in buffers of the caller. */
#include "call/resident.h"

#include "base/arithmetic.h"
#include "call/context.h"
#include "call/device_call.h"

static size_t sample_size(CofSample sample)
{
    return sample == COF_SAMPLE_U8 ? 1 : sample == COF_SAMPLE_U16 ? 2 : 4;
}

/* Why an image of a buffer cannot be used; NULL: it can. Sizes and channels are checked later, with
 * the image of the host. */
static const char *refuses(const CofiCall *call, const CofImage *image)
{
    if (image->memory != COF_MEMORY_OPENCL)
        return "the memory of an image must be one of CofMemory";
    if (!call->context->takes_buffers || !call->device)
        return "an image in a buffer needs a context of cof_context_new_opencl()";
    if (!image->data || image->width < 1 || image->height < 1 || image->channels < 1 ||
        image->channels > COF_MAX_BANDS + 1 || (unsigned)image->sample > COF_SAMPLE_F32)
        return "an image in a buffer has no pixels";
    ptrdiff_t size = (ptrdiff_t)sample_size(image->sample), pixel = size * image->channels;
    if ((image->channel_stride != 0 && image->channel_stride != size) ||
        (image->pixel_stride != 0 && image->pixel_stride != pixel) ||
        (image->row_stride != 0 && image->row_stride / pixel < image->width))
        return "the pixels of an image in a buffer must be interleaved, and its rows apart";
    return NULL;
}

static CofStatus take_host(CofiCall *call, const CofImage *image, bool is_input,
                           CofiResident *resident, CofImage *host)
{
    size_t bytes, pixel = sample_size(image->sample) * (size_t)image->channels;
    *resident = (CofiResident){
        .memory = image->data, .row_bytes = (size_t)image->width * pixel, .rows = image->height};
    resident->stride = image->row_stride ? (size_t)image->row_stride : resident->row_bytes;
    if (!cofi_mul(resident->row_bytes, (size_t)image->height, &bytes))
        return COF_ERR_MEMORY;
    CofStatus status = COF_OK;
    if (is_input)
        status =
            cofi_call_check_begun(call, call->module->shadow(call->device, bytes, &resident->host));
    else if (!(resident->host = cofi_call_take_raw(call, bytes, 1)))
        status = COF_ERR_MEMORY;
    *host = *image;
    host->memory = COF_MEMORY_HOST;
    host->data = resident->host;
    host->row_stride = host->pixel_stride = host->channel_stride = 0;
    return status;
}

static CofStatus begin(CofiCall *call, const CofImage **image, const char *argument,
                       CofiResident *resident, CofImage *host)
{
    if (!*image || (*image)->memory == COF_MEMORY_HOST)
        return COF_OK;
    const char *refused = refuses(call, *image);
    if (refused)
        return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, argument, refused);
    CofStatus status = take_host(call, *image, resident == &call->resident_in, resident, host);
    *image = host;
    return status;
}

static CofiDeviceBuffer whole(const CofiResident *resident)
{
    return (CofiDeviceBuffer){.memory = resident->memory,
                              .stride = resident->stride,
                              .row_bytes = resident->row_bytes,
                              .rows = resident->rows};
}

static CofStatus read_whole(CofiCall *call, const CofiResident *resident)
{
    CofiDeviceBuffer from = whole(resident);
    return cofi_call_check_begun(
        call, call->module->read_buffer(call->device, &from, resident->host, from.row_bytes));
}

/* Are there pixels without data, where the output keeps what is in its buffer? */
static bool may_keep_pixels(const CofImage *in)
{
    return in && (in->valid || in->sample == COF_SAMPLE_F32 || in->kind == COF_KIND_RGBA ||
                  in->kind == COF_KIND_GREY_ALPHA);
}

CofStatus cofi_resident_begin(CofiCall *call, const CofImage **in, const CofImage **out,
                              CofImage host[2], bool reads_host)
{
    CofStatus status = begin(call, in, "in", &call->resident_in, &host[0]);
    if (status == COF_OK)
        status = begin(call, out, "out", &call->resident_out, &host[1]);
    if (status == COF_OK && reads_host && call->resident_out.memory && may_keep_pixels(*in))
        status = read_whole(call, &call->resident_out);
    return status == COF_OK && reads_host ? cofi_resident_read(call) : status;
}

CofStatus cofi_resident_read(CofiCall *call)
{
    CofiResident *resident = &call->resident_in;
    if (!resident->memory || resident->is_current)
        return COF_OK;
    resident->is_current = true;
    return read_whole(call, resident);
}

CofStatus cofi_resident_read_rows(CofiCall *call, int first, int step)
{
    const CofiResident *resident = &call->resident_in;
    if (!resident->memory || resident->is_current || first >= resident->rows)
        return COF_OK;
    CofiDeviceBuffer from = whole(resident);
    from.offset += (size_t)first * resident->stride;
    from.stride *= (size_t)step;
    from.rows = (resident->rows - 1 - first) / step + 1;
    uint8_t *to = resident->host + (size_t)first * resident->row_bytes;
    return cofi_call_check_begun(
        call, call->module->read_buffer(call->device, &from, to, (size_t)step * from.row_bytes));
}

CofStatus cofi_resident_end(CofiCall *call)
{
    CofiResident *resident = &call->resident_out;
    if (!resident->memory || resident->is_current)
        return COF_OK;
    CofiDeviceBuffer to = whole(resident);
    return cofi_call_check_begun(call,
                                 call->module->write_buffer(call->device, &to, resident->host));
}
