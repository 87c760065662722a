/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of an image that is learned from and filtered: its labels and Lab values are computed
 * once.
 */
#include "learn/part.h"

#include "image/image.h"
#include "learn/label_image.h"

CofPart *cofi_part_new(const CofImage *image)
{
    CofPart *part = cofi_calloc(1, sizeof *part);
    if (part)
        part->image = *image;
    return part;
}

static void forget(CofPart *part)
{
    for (int i = 0; i < COF_MAX_PALETTES; i++) {
        cofi_palette_free(&part->palettes[i]);
        cofi_free(part->labels[i]);
        part->labels[i] = NULL;
    }
    for (int band = 0; band < 3; band++) {
        cofi_free(part->packed.high[band]);
        cofi_free(part->packed.low[band]);
    }
    part->packed = (CofiPackedLab){{NULL}, {NULL}};
    part->n = 0;
}

void cofi_part_free(CofPart **part)
{
    if (*part)
        forget(*part);
    cofi_free(*part);
    *part = NULL;
}

bool cofi_part_has(const CofPart *part, const CofiPalette *const *palettes, int n)
{
    bool all = n >= 1 && n == part->n;
    for (int i = 0; i < n && all; i++)
        all = cofi_palette_equal(&part->palettes[i], palettes[i]);
    return all;
}

/* A value for each pixel, in memory of the call, or of the part (NULL). */
static void *new_plane(const CofPart *part, CofiCall *owner, size_t size)
{
    size_t row, rows = (size_t)part->image.height;
    if (!cofi_mul((size_t)part->image.width, size, &row))
        return NULL;
    return owner ? cofi_call_take_raw(owner, rows, row) : cofi_malloc(rows, row);
}

static CofStatus take_planes(CofPart *part, CofiCall *owner, int n)
{
    const CofImage *image = &part->image;
    bool packs = cofi_family(image->kind) == COF_KIND_RGB && image->sample == COF_SAMPLE_U8;
    for (int i = 0; i < n; i++)
        if (!(part->labels[i] = new_plane(part, owner, 1)))
            return COF_ERR_MEMORY;
    for (int band = 0; band < 3 && packs; band++) {
        part->packed.high[band] = new_plane(part, owner, sizeof *part->packed.high[band]);
        part->packed.low[band] = new_plane(part, owner, sizeof *part->packed.low[band]);
        if (!part->packed.high[band] || !part->packed.low[band])
            return COF_ERR_MEMORY;
    }
    return COF_OK;
}

static CofStatus label_planes(const CofPart *part, CofiCall *call,
                              const CofiPalette *const *palettes, int n, double units)
{
    const CofImage *image = &part->image;
    CofiLabelRows rows = {.n = n, .stride = image->width};
    for (int i = 0; i < n; i++) {
        rows.palettes[i] = palettes[i];
        rows.labels[i] = part->labels[i];
    }
    rows.packed = part->packed.high[0] ? &part->packed : NULL;
    CofRect all = {0, 0, image->width, image->height};
    return cofi_label_image(call, &rows, image, all, units);
}

static CofStatus label(CofPart *part, CofiCall *call, const CofiPalette *const *palettes, int n)
{
    CofStatus status = take_planes(part, NULL, n);
    for (int i = 0; i < n && status == COF_OK; i++)
        status = cofi_palette_copy(&part->palettes[i], palettes[i]);
    return status == COF_OK ? label_planes(part, call, palettes, n, n) : status;
}

static int palettes_of(const CofStats *stats, const CofiPalette *palettes[COF_MAX_PALETTES])
{
    int n = 1 + stats->n_others;
    for (int i = 0; i < n; i++)
        palettes[i] = &cofi_stats_const_member(stats, i)->palette;
    return n;
}

CofStatus cofi_part_take(CofPart *part, CofiCall *call, const CofImage *image,
                         const CofStats *stats)
{
    const CofiPalette *palettes[COF_MAX_PALETTES] = {NULL};
    *part = (CofPart){.image = *image, .n = palettes_of(stats, palettes)};
    for (int i = 0; i < part->n; i++)
        part->palettes[i] = *palettes[i];
    cofi_call_stage(call, COF_STAGE_LABELS);
    CofStatus status = take_planes(part, call, part->n);
    return status == COF_OK ? label_planes(part, call, palettes, part->n, 0) : status;
}

CofStatus cofi_part_label(CofPart *part, CofiCall *call, const CofStats *stats)
{
    const CofiPalette *palettes[COF_MAX_PALETTES] = {NULL};
    int n = palettes_of(stats, palettes);
    if (cofi_part_has(part, palettes, n))
        return COF_OK;
    forget(part);
    cofi_call_stage(call, COF_STAGE_LABELS);
    CofStatus status = label(part, call, palettes, n);
    if (status == COF_OK)
        part->n = n;
    else
        forget(part);
    return status;
}
