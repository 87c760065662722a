/* SPDX-License-Identifier: BSD-2-Clause */
/* T: the label of each pixel. */
#include "learn/quantise.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "call/device_call.h"
#include "image/device_image.h"
#include "image/image.h"
#include "learn/device_labels.h"
#include "learn/label_row.h"

/* Features that are labelled at a time: as many as fit in the first-level cache. */
#define FEATURES 8192

CofStatus cofi_label_map_take(CofiLabelMap *map, CofiCall *call, int width, int height, int radius)
{
    assert(width >= 1 && height >= 1 && radius >= 0);
    *map = (CofiLabelMap){.width = width, .height = height, .radius = radius};
    map->stride = (ptrdiff_t)width + 2 * radius;
    size_t rows = (size_t)height + 2 * (size_t)radius, bytes;
    if (!cofi_mul((size_t)map->stride, rows, &bytes) || bytes > SIZE_MAX - COFI_OVERREAD)
        return COF_ERR_MEMORY;
    uint8_t *labels = cofi_call_take_raw(call, bytes + COFI_OVERREAD, 1);
    uint8_t *members = cofi_call_take_raw(call, bytes + COFI_OVERREAD, 1);
    if (!labels || !members)
        return COF_ERR_MEMORY;
    size_t border = (size_t)radius * (size_t)map->stride;
    memset(members, 0, border);
    memset(members + bytes - border, 0, border + COFI_OVERREAD);
    map->labels = labels + radius * map->stride + radius;
    map->members = members + radius * map->stride + radius;
    return COF_OK;
}

void cofi_features_row(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                       float *const *features)
{
    if (cofi_family(image->kind) == COF_KIND_RGB) {
        cofi_lab_row(colour, image, x, y, n, features);
        return;
    }
    for (int band = 0; band < cofi_bands(image); band++)
        cofi_load_row(image, band, x, y, n, features[band]);
}

typedef struct Labelling {
    const CofiLabelRows *rows;
    const CofiColour *colour;
    const CofImage *image;
    CofRect rect;
    float *features;           /* of each worker: FEATURES */
    uint8_t (*of_values)[256]; /* of each palette: the labels of 8-bit grey */
} Labelling;

/* Exact palettes: samples are their own labels. */
static void copy_samples(void *context, int first, int last, int worker)
{
    (void)worker;
    const Labelling *l = context;
    for (int y = first; y < last; y++) {
        const unsigned char *samples = cofi_pixel(l->image, l->rect.x, l->rect.y + y);
        uint8_t *labels = l->rows->labels[0] + y * l->rows->stride;
        if (l->image->pixel_stride == 1)
            memcpy(labels, samples, (size_t)l->rect.width);
        else
            for (int x = 0; x < l->rect.width; x++)
                labels[x] = samples[x * l->image->pixel_stride];
    }
}

/* Labels of the 256 values of 8-bit grey, of each palette. */
static void label_values(Labelling *l)
{
    float values[256];
    const float *const features[1] = {values};
    for (int i = 0; i < 256; i++)
        values[i] = (float)i;
    for (int i = 0; i < l->rows->n; i++)
        cofi_label_row(l->rows->palettes[i], &l->colour->kernels, features, 256, l->of_values[i]);
}

static void look_up_samples(void *context, int first, int last, int worker)
{
    (void)worker;
    const Labelling *l = context;
    ptrdiff_t step = l->image->pixel_stride;
    for (int y = first; y < last; y++)
        for (int i = 0; i < l->rows->n; i++) {
            const unsigned char *samples = cofi_pixel(l->image, l->rect.x, l->rect.y + y);
            uint8_t *labels = l->rows->labels[i] + y * l->rows->stride;
            for (int x = 0; x < l->rect.width; x++)
                labels[x] = l->of_values[i][samples[x * step]];
        }
}

static void pack_block(const Labelling *l, const float *const *lab, int x, int y, int n)
{
    CofiPackedLab packed = cofi_packed_from(l->rows->packed, y * l->rows->stride + x);
    l->colour->kernels.pack_lab(lab, n, &packed);
}

/* Features of a block: rows that are labelled together. */
typedef struct Features {
    float *planes[COF_MAX_BANDS];
    int stride; /* from row to row */
} Features;

static void label_block(const Labelling *l, const Features *f, int x, int y, int rows, int n)
{
    int bands = cofi_bands(l->image);
    for (int row = 0; row < rows; row++) {
        float *planes[COF_MAX_BANDS];
        const float *read[COF_MAX_BANDS];
        for (int band = 0; band < bands; band++)
            read[band] = planes[band] = f->planes[band] + row * f->stride;
        cofi_features_row(l->colour, l->image, l->rect.x + x, l->rect.y + y + row, n, planes);
        if (l->rows->packed)
            pack_block(l, read, x, y + row, n);
    }
    for (int i = 0; i < l->rows->n; i++)
        cofi_label_rows(l->rows->palettes[i], &l->colour->kernels, (const float *const *)f->planes,
                        f->stride, rows, n, l->rows->labels[i] + y * l->rows->stride + x,
                        l->rows->stride);
}

static void label_rows(void *context, int first, int last, int worker)
{
    const Labelling *l = context;
    float *features = l->features + (ptrdiff_t)worker * FEATURES;
    int bands = cofi_bands(l->image);
    Features f = {.stride = FEATURES / bands / COFI_TOGETHER / 16 * 16};
    for (int band = 0; band < bands; band++)
        f.planes[band] = features + band * COFI_TOGETHER * f.stride;
    for (int y = first; y < last; y += COFI_TOGETHER)
        for (int x = 0; x < l->rect.width; x += f.stride) {
            int n = l->rect.width - x < f.stride ? l->rect.width - x : f.stride;
            label_block(l, &f, x, y, last - y < COFI_TOGETHER ? last - y : COFI_TOGETHER, n);
        }
}

/* Can the device of the call do it? */
static bool is_for_device(const CofiCall *call, const CofiLabelRows *rows, const CofImage *image)
{
    const char *refused = call->device ? cofi_device_refuses(call, image) : NULL;
    for (int i = 0; i < rows->n && call->device && !refused; i++)
        if (!cofi_device_can_label(call, rows->palettes[i], image->sample))
            refused = "the device has no double precision, which labels of RGB need";
    if (!refused && rows->packed)
        refused = "colours that are kept for later are computed by the CPU";
    if (refused && call->device)
        cofi_call_left_to_cpu(call, refused);
    return call->device && !refused;
}

CofStatus cofi_label_image(CofiCall *call, const CofiLabelRows *rows, const CofImage *image,
                           CofRect rect, double units)
{
    assert(rows->n >= 1 && cofi_palette_fits(rows->palettes[0], image));
    CofiColour colour;
    CofStatus status = cofi_colour_init(&colour, call, image, (double)rect.width * rect.height);
    if (status != COF_OK)
        return status;
    uint8_t of_values[COF_MAX_PALETTES][256];
    Labelling labelling = {rows, &colour, image, rect, NULL, of_values};
    if (rows->n == 1 && rows->palettes[0]->type == COFI_PALETTE_EXACT)
        return cofi_call_rows(call, rect.height, units, copy_samples, &labelling);
    if (is_for_device(call, rows, image)) {
        status = cofi_device_label_image(call, &colour, rows->palettes, rows->labels, rows->stride,
                                         rows->n, image, rect, units);
        if (status != COF_ERR_MEMORY)
            return status;
        cofi_call_left_to_cpu(call, COFI_DEVICE_MEMORY);
    }
    if (cofi_family(image->kind) == COF_KIND_GREY && image->sample == COF_SAMPLE_U8) {
        label_values(&labelling);
        return cofi_call_rows(call, rect.height, units, look_up_samples, &labelling);
    }
    CofiMark mark = cofi_call_mark(call);
    labelling.features =
        cofi_call_take_raw(call, (size_t)call->threads, FEATURES * sizeof *labelling.features);
    status = labelling.features ? cofi_call_rows(call, rect.height, units, label_rows, &labelling)
                                : COF_ERR_MEMORY;
    cofi_call_release(call, mark);
    return status;
}

typedef struct Filling {
    CofiLabelMap *map;
    const CofImage *image;
    const CofiRoi *roi;
    int k;
    atomic_bool beyond;   /* a label was not below k */
    atomic_bool gaps;     /* a pixel is not a member */
    const uint8_t *known; /* labels */
} Filling;

static void member_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    Filling *f = context;
    const CofiLabelMap *map = f->map;
    for (int y = first; y < last; y++) {
        uint8_t *members = map->members + y * map->stride;
        memset(members - map->radius, 0, (size_t)map->radius);
        cofi_member_row(f->roi, f->image, 0, y, map->width, members);
        memset(members + map->width, 0, (size_t)map->radius);
        if (memchr(members, 0, (size_t)map->width))
            atomic_store_explicit(&f->gaps, true, memory_order_relaxed);
    }
}

/* Fills rows of a map, which has then all its members. */
static CofStatus fill_rows(Filling *f, CofiCall *call, double units, CofiRows *rows)
{
    CofStatus status = cofi_call_rows(call, f->map->height, units, rows, f);
    f->map->only_members = !atomic_load(&f->gaps);
    return status;
}

CofStatus cofi_label_map_members(CofiLabelMap *map, CofiCall *call, const CofImage *image,
                                 const CofiRoi *roi, double units)
{
    Filling filling = {.map = map, .image = image, .roi = roi};
    map->implied = !roi->has_mask && !cofi_may_have_gaps(image) &&
                   cofi_rect_holds(roi->region, cofi_view_rect(image));
    if (!map->implied)
        return fill_rows(&filling, call, units, member_rows);
    map->only_members = true;
    return cofi_call_tasks(call, 0, units, NULL, NULL);
}

/* Replaces the labels of non-members in a row, borders included. Members that are implied are not
 * read. */
static void mark_row(const CofiLabelMap *map, int y)
{
    ptrdiff_t first = y * map->stride - map->radius;
    uint8_t *labels = map->labels + first;
    const uint8_t *members = map->members + first;
    if (y < 0 || y >= map->height) {
        memset(labels, COFI_NO_LABEL, (size_t)map->stride);
        return;
    }
    memset(labels, COFI_NO_LABEL, (size_t)map->radius);
    memset(labels + map->radius + map->width, COFI_NO_LABEL, (size_t)map->radius);
    if (map->only_members || !memchr(members + map->radius, 0, (size_t)map->width))
        return;
    for (int i = 0; i < map->stride; i++)
        labels[i] = members[i] ? labels[i] : COFI_NO_LABEL;
}

/* Members that are implied, between borders. */
static void fill_members(const CofiLabelMap *map, int y)
{
    uint8_t *members = map->members + y * map->stride;
    memset(members - map->radius, 0, (size_t)map->radius);
    memset(members, 1, (size_t)map->width);
    memset(members + map->width, 0, (size_t)map->radius);
}

typedef struct Completing {
    CofiLabelMap *map;
    bool mark;
} Completing;

/* Rows include those of the border. */
static void complete_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Completing *c = context;
    const CofiLabelMap *map = c->map;
    for (int y = first - map->radius; y < last - map->radius; y++) {
        bool inside = y >= 0 && y < map->height;
        if (inside && map->unpadded)
            memcpy(map->labels + y * map->stride, map->unpadded + (ptrdiff_t)y * map->width,
                   (size_t)map->width);
        if (c->mark)
            mark_row(map, y);
        else if (inside && map->implied)
            fill_members(map, y);
    }
}

CofStatus cofi_label_map_complete(CofiLabelMap *map, CofiCall *call, bool mark)
{
    CofStatus status = COF_OK;
    Completing completing = {map, mark};
    if (mark || map->unpadded || map->implied)
        status = cofi_call_rows(call, map->height + 2 * map->radius, 0, complete_rows, &completing);
    map->unpadded = NULL;
    map->implied &= mark;
    return status;
}

CofStatus cofi_label_map_fill(CofiLabelMap *map, CofiCall *call, const CofiPalette *palette,
                              const CofImage *image, const CofiRoi *roi, double units)
{
    assert(map->width == image->width && map->height == image->height);
    CofRect all = {0, 0, map->width, map->height};
    CofiLabelRows rows = {
        .n = 1, .palettes = {palette}, .labels = {map->labels}, .stride = map->stride};
    CofStatus status = cofi_label_image(call, &rows, image, all, units / 2);
    Filling filling = {.map = map, .image = image, .roi = roi};
    return status == COF_OK ? fill_rows(&filling, call, units / 2, member_rows) : status;
}

static void given_rows(void *context, int first, int last, int worker)
{
    Filling *f = context;
    member_rows(context, first, last, worker);
    for (int y = first; y < last; y++) {
        const unsigned char *given = cofi_pixel(f->image, 0, y);
        uint8_t *labels = f->map->labels + y * f->map->stride;
        const uint8_t *members = f->map->members + y * f->map->stride;
        for (int x = 0; x < f->map->width; x++) {
            uint8_t label = given[x * f->image->pixel_stride];
            if (label < f->k)
                labels[x] = label;
            else if (members[x])
                atomic_store(&f->beyond, true);
        }
    }
}

CofStatus cofi_label_map_given(CofiLabelMap *map, CofiCall *call, int k, const CofImage *labels,
                               const CofiRoi *roi, double units)
{
    assert(map->width == labels->width && map->height == labels->height);
    assert(k >= 1);
    Filling filling = {.map = map, .image = labels, .roi = roi, .k = k};
    CofStatus status = fill_rows(&filling, call, units, given_rows);
    if (status == COF_OK && atomic_load(&filling.beyond))
        return cofi_call_fail_argument(call, COF_ERR_MISMATCH, "labels",
                                       "a label is not below the size of the palette");
    return status;
}

static void known_rows(void *context, int first, int last, int worker)
{
    Filling *f = context;
    member_rows(context, first, last, worker);
    for (int y = first; y < last; y++)
        memcpy(f->map->labels + y * f->map->stride, f->known + (ptrdiff_t)y * f->map->width,
               (size_t)f->map->width);
}

CofStatus cofi_label_map_known(CofiLabelMap *map, CofiCall *call, const uint8_t *labels,
                               const CofImage *image, const CofiRoi *roi, double units)
{
    assert(map->width == image->width && map->height == image->height);
    Filling filling = {.map = map, .image = image, .roi = roi, .known = labels};
    return fill_rows(&filling, call, units, known_rows);
}

void cofi_label_map_copy(const CofiLabelMap *map, const CofImage *image, uint8_t *labels)
{
    for (int y = 0; y < image->height; y++) {
        const uint8_t *from = map->labels + y * map->stride;
        uint8_t *valid = map->members + y * map->stride; /* members exclude transparent pixels */
        memset(valid, 1, (size_t)image->width);
        cofi_valid_row(image, 0, y, image->width, valid);
        for (int x = 0; x < image->width; x++)
            *labels++ = valid[x] ? from[x] : 0;
    }
}

CofStatus cofi_labels_of_image(CofiCall *call, const CofiPalette *palette, const CofImage *image,
                               uint8_t **labels)
{
    CofiRoi everywhere;
    CofiLabelMap map;
    *labels = cofi_call_take_raw(call, (size_t)image->height, (size_t)image->width);
    CofStatus status = *labels ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_check_roi(call, NULL, image, cofi_full_rect(image), &everywhere);
    if (status == COF_OK)
        status = cofi_label_map_take(&map, call, image->width, image->height, 0);
    if (status == COF_OK)
        status = cofi_label_map_fill(&map, call, palette, image, &everywhere, 1);
    if (status == COF_OK)
        cofi_label_map_copy(&map, image, *labels);
    return status;
}
