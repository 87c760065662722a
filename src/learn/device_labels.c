/* SPDX-License-Identifier: BSD-2-Clause */
/* T, the label of each pixel, on a device. */
#include "learn/device_labels.h"

#include <string.h>

#include "call/device_call.h"
#include "image/device_image.h"
#include "learn/label_row.h"

bool cofi_device_can_label(const CofiCall *call, const CofiPalette *palette, CofSample sample)
{
    if (palette->family == COF_KIND_GREY && sample == COF_SAMPLE_U8)
        return true;
    CofiPaletteType type =
        palette->family == COF_KIND_GREY ? COFI_PALETTE_BINS : COFI_PALETTE_CENTRES;
    return palette->family != COF_KIND_BANDS && palette->type == type &&
           call->module->opened(call->device)->has_double;
}

/* The labels of all bytes. */
static void fill_table(const CofiColour *colour, const CofiPalette *palette, uint8_t table[256])
{
    float values[256];
    const float *const features[1] = {values};
    for (int i = 0; i < 256; i++)
        values[i] = (float)i;
    cofi_label_row(palette, &colour->kernels, features, 256, table);
}

CofStatus cofi_device_label(CofiCall *call, CofiDeviceImage *on_device, const CofiColour *colour,
                            const CofiPalette *palette)
{
    uint8_t table[256];
    CofStatus status;
    if (palette->family == COF_KIND_GREY && colour->max != 255) {
        status = call->module->label_bins(on_device, palette->low, palette->high, palette->k);
    } else if (palette->family == COF_KIND_GREY) {
        fill_table(colour, palette, table);
        status = call->module->label_grey(on_device, table);
    } else {
        status = call->module->label(on_device, palette->centres, palette->k, false);
    }
    if (status == COF_OK)
        cofi_call_ran_on_device(call, COF_STAGE_LABELS);
    return status;
}

/* What cofi_device_label_image() was given. */
typedef struct Labelling {
    CofiCall *call;
    CofiDeviceImage *on_device;
    const CofiColour *colour;
    const CofiPalette *const *palettes;
    uint8_t *const *labels;
    uint8_t *packed;
    ptrdiff_t stride;
    CofRect rect;
} Labelling;

/* Labels with the palette of that index. */
static CofStatus label_step(void *context, int index)
{
    const Labelling *l = context;
    size_t width = (size_t)l->rect.width;
    CofStatus status = cofi_device_label(l->call, l->on_device, l->colour, l->palettes[index]);
    if (status == COF_OK)
        status = l->call->module->read_labels(l->on_device, l->packed);
    for (int y = 0; y < l->rect.height && status == COF_OK; y++)
        memcpy(l->labels[index] + y * l->stride, l->packed + (size_t)y * width, width);
    return status;
}

/* Labels the rows that the image on the device has. */
static CofStatus label_tile(Labelling *l, const CofImage *image, int n, double units)
{
    CofiCall *call = l->call;
    CofStatus status =
        cofi_device_image_new(call, l->colour, image, l->rect, (CofiDeviceUse){0}, &l->on_device);
    if (status != COF_OK)
        return status;
    status = cofi_device_image_send(call, l->on_device, image, l->rect);
    if (status == COF_OK)
        status = cofi_call_steps(call, n, units, label_step, l);
    call->module->image_free(l->on_device);
    return cofi_call_check_begun(call, status);
}

/* Rows that the memory of the device is sufficient for. */
static int tile_rows(const CofiCall *call, const CofImage *image, CofRect rect)
{
    int64_t rows = cofi_device_max_pixels(call, image, (CofiDeviceUse){0}) / rect.width;
    return rows < rect.height ? (int)rows : rect.height;
}

CofStatus cofi_device_label_image(CofiCall *call, const CofiColour *colour,
                                  const CofiPalette *const *palettes, uint8_t *const *labels,
                                  ptrdiff_t stride, int n, const CofImage *image, CofRect rect,
                                  double units)
{
    CofiMark mark = cofi_call_mark(call);
    int rows = tile_rows(call, image, rect);
    uint8_t *of_tile[COF_MAX_PALETTES];
    Labelling l = {
        .call = call, .colour = colour, .palettes = palettes, .labels = of_tile, .stride = stride};
    l.packed = rows > 0 ? cofi_call_take_raw(call, (size_t)rows, (size_t)rect.width) : NULL;
    CofStatus status = l.packed ? COF_OK : COF_ERR_MEMORY;
    for (int y = 0; y < rect.height && status == COF_OK; y += rows) {
        l.rect = rect;
        l.rect.y += y;
        l.rect.height = rect.height - y < rows ? rect.height - y : rows;
        for (int i = 0; i < n; i++)
            of_tile[i] = labels[i] + y * stride;
        status = label_tile(&l, image, n, units * l.rect.height / rect.height);
    }
    cofi_call_release(call, mark);
    return status;
}
