/* SPDX-License-Identifier: BSD-2-Clause */
/* Palettes from bytes, which are not trusted, and checked numbers. */
#include "learn/read_palette.h"

#include <math.h>

#include "base/memory.h"

int cofi_read_up_to(CofiReader *r, uint32_t most)
{
    uint32_t value = cofi_read_u32(r);
    if (value > most)
        r->failed = true;
    return r->failed ? 0 : (int)value;
}

double cofi_read_finite(CofiReader *r)
{
    double value = cofi_read_f64(r);
    if (!isfinite(value))
        r->failed = true;
    return r->failed ? 0 : value;
}

void cofi_read_rows(CofiReader *r, float *rows, size_t n)
{
    cofi_read_f32s(r, rows, n);
    bool finite = true;
    for (size_t i = 0; i < n; i++)
        finite &= isfinite(rows[i]);
    cofi_reader_require(r, finite);
}

void cofi_reader_require(CofiReader *r, bool holds)
{
    if (!holds)
        r->failed = true;
}

CofStatus cofi_reader_status(const CofiReader *r)
{
    return r->failed ? COF_ERR_FORMAT : COF_OK;
}

bool cofi_centres_fit(CofKind family, int bands)
{
    return bands >= 1 && (family == COF_KIND_BANDS || bands == (int)family + 1) &&
           (family == COF_KIND_GREY || family == COF_KIND_RGB || family == COF_KIND_BANDS);
}

static bool sizes_fit_type(const CofiPalette *p)
{
    switch (p->type) {
    case COFI_PALETTE_EXACT:
        return p->k == 256 && p->bands == 1 && p->family == COF_KIND_GREY &&
               p->sample == COF_SAMPLE_U8;
    case COFI_PALETTE_BINS:
        return p->bands == 1 && p->family == COF_KIND_GREY && p->sample != COFI_ANY_SAMPLE &&
               (p->low < p->high ? p->k >= 2 : p->low == p->high && p->k == 1);
    case COFI_PALETTE_CENTRES:
        return cofi_centres_fit(p->family, p->bands);
    case COFI_PALETTE_LABELS:
        return p->bands == 0 && p->family == COF_KIND_GREY;
    }
    return false;
}

/* The centres of exact palettes and of bins must be those that the library would compute. */
static CofStatus check_centres(const CofiPalette *palette)
{
    CofiPalette made = {0};
    CofStatus status = COF_OK;
    if (palette->type == COFI_PALETTE_EXACT)
        status = cofi_palette_exact(&made);
    else if (palette->type == COFI_PALETTE_BINS)
        status = cofi_palette_bins(&made, (CofSample)palette->sample, palette->k, palette->low,
                                   palette->high);
    else
        return COF_OK;
    if (status == COF_OK && !cofi_palette_equal(palette, &made))
        status = COF_ERR_FORMAT;
    cofi_palette_free(&made);
    return status;
}

CofStatus cofi_read_palette(CofiReader *r, CofiPalette *palette)
{
    *palette = (CofiPalette){0};
    palette->type = (CofiPaletteType)cofi_read_up_to(r, COFI_PALETTE_LABELS);
    palette->k = cofi_read_up_to(r, COF_MAX_COLOURS);
    palette->family = (CofKind)cofi_read_up_to(r, COF_KIND_BANDS);
    palette->sample = cofi_read_up_to(r, COF_SAMPLE_F32 + 1) - 1;
    palette->bands = cofi_read_up_to(r, COF_MAX_BANDS);
    cofi_reader_require(r, cofi_read_up_to(r, 0) == 0);
    palette->low = cofi_read_finite(r);
    palette->high = cofi_read_finite(r);
    cofi_reader_require(r, palette->k >= 1 && sizes_fit_type(palette));
    size_t n = (size_t)palette->k * (size_t)palette->bands;
    if (r->failed || !cofi_reader_has(r, n, 4))
        return COF_ERR_FORMAT;
    if (n == 0)
        return COF_OK;
    palette->centres = cofi_calloc(n, sizeof *palette->centres);
    if (!palette->centres)
        return COF_ERR_MEMORY;
    cofi_read_rows(r, palette->centres, n);
    CofStatus status = r->failed ? COF_ERR_FORMAT : check_centres(palette);
    if (status != COF_OK)
        cofi_palette_free(palette);
    return status == COF_OK ? cofi_palette_prepare(palette) : status;
}
