/* SPDX-License-Identifier: BSD-2-Clause */
/* Filtered samples that are equal to the no-data value by chance. */
#include "gdal/raster_clashes.h"

#include <math.h>

/* The samples of one band: every `step`-th of `n` pixels. */
typedef struct Samples {
    size_t n, step;
    double nodata;
} Samples;

#define TYPED(NAME, TYPE, TOWARDS) \
    static bool has_##NAME(const void *of, const Samples *s) \
    { \
        const TYPE *samples = of; \
        TYPE nodata = (TYPE)s->nodata; \
        for (size_t i = 0; i < s->n; i++) \
            if (samples[i * s->step] == nodata) \
                return true; \
        return false; \
    } \
    static void move_##NAME(const void *from, void *to, const Samples *s) \
    { \
        const TYPE *before = from; \
        TYPE *samples = to, nodata = (TYPE)s->nodata; \
        for (size_t i = 0; i < s->n * s->step; i += s->step) \
            if (samples[i] == nodata && before[i] != nodata) \
                samples[i] = TOWARDS(nodata, before[i]); \
    }

#define NEXT_UP_OR_DOWN(value, to) ((to) > (value) ? (value) + 1 : (value)-1)
#define NEXT_BYTE(value, to) ((uint8_t)NEXT_UP_OR_DOWN(value, to))
#define NEXT_SHORT(value, to) ((int16_t)NEXT_UP_OR_DOWN(value, to))
#define NEXT_WORD(value, to) ((uint16_t)NEXT_UP_OR_DOWN(value, to))

TYPED(bytes, uint8_t, NEXT_BYTE)
TYPED(shorts, int16_t, NEXT_SHORT)
TYPED(words, uint16_t, NEXT_WORD)
TYPED(longs, int32_t, NEXT_UP_OR_DOWN)
TYPED(unsigned, uint32_t, NEXT_UP_OR_DOWN)
TYPED(floats, float, nextafterf)
TYPED(doubles, double, nextafter)

typedef struct Functions {
    GDALDataType type;
    bool (*has)(const void *samples, const Samples *s);
    void (*move)(const void *before, void *samples, const Samples *s);
} Functions;

/* The types that are filtered; the last one is that of all others. */
static const Functions functions[] = {
    {GDT_Byte, has_bytes, move_bytes},         {GDT_Int16, has_shorts, move_shorts},
    {GDT_UInt16, has_words, move_words},       {GDT_Int32, has_longs, move_longs},
    {GDT_UInt32, has_unsigned, move_unsigned}, {GDT_Float32, has_floats, move_floats},
    {GDT_Float64, has_doubles, move_doubles},
};

static const Functions *functions_of(GDALDataType type)
{
    const Functions *found = functions;
    while (found->type != type && found->type != GDT_Float64)
        found++;
    return found;
}

/* The no-data value of filtered band i, if samples can be equal to it. */
static bool find_nodata(const Raster *raster, int i, size_t n, Samples *s)
{
    const RasterBand *band = &raster->bands[raster->filtered.numbers[i] - 1];
    *s = (Samples){.n = n, .step = (size_t)raster->filtered.n, .nodata = band->nodata};
    return !raster->all_valid && band->has_nodata && !isnan(band->nodata);
}

bool raster_has_nodata_samples(const Raster *raster, const void *samples, size_t n)
{
    size_t size = (size_t)GDALGetDataTypeSizeBytes(raster->type);
    Samples s;
    for (int i = 0; i < raster->filtered.n; i++)
        if (find_nodata(raster, i, n, &s) &&
            functions_of(raster->type)->has((const char *)samples + (size_t)i * size, &s))
            return true;
    return false;
}

void raster_move_clashes(const Raster *raster, const void *before, void *samples, size_t n)
{
    size_t size = (size_t)GDALGetDataTypeSizeBytes(raster->type);
    Samples s;
    for (int i = 0; i < raster->filtered.n; i++)
        if (find_nodata(raster, i, n, &s))
            functions_of(raster->type)
                ->move((const char *)before + (size_t)i * size, (char *)samples + (size_t)i * size,
                       &s);
}
