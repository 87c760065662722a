/* SPDX-License-Identifier: BSD-2-Clause */
/* Paints an image in a few colours: a palette of the pixels that are no mixtures, the nearest
 * colour for each of these, for a mixture one of the two colours that it is made of, and the mean
 * of each region at the end. */
#include "filter/posterise.h"

#include <math.h>
#include <string.h>

#include "image/colour.h"
#include "image/image.h"
#include "image/mask_parts.h"
#include "image/roi.h"
#include "learn/kmeans.h"
#include "learn/label_row.h"

/* Pixels that are converted at a time. */
#define BLOCK 256

/* Values are in hundredths: of Lab, or of grey from 0 to 100. */
#define UNIT 100

/* A mixture differs at least so much from both of its neighbours, and lies on the line between
 * them: the sum of both distances is at most so many times that of the neighbours. Mixtures of
 * encoded samples leave the line in Lab by a few percent. */
#define MIN_STEP (4 * UNIT)
#define MAX_DETOUR 1.1

/* How far away the colours of a mixture are sought. */
#define REACH 8

#define MAX_SAMPLES ((size_t)1 << 16)

/* The ways through a pixel. */
static const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};

/* What the pixels of a label sum up to. */
typedef struct Sums {
    int64_t values[3], n;
} Sums;

typedef struct Poster {
    const CofImage *in;
    CofiColour colour;
    int width, height, bands;
    float scale, low;  /* samples x scale - low are 0..100 if they are grey; Lab: 1 and 0 */
    int16_t *values;   /* `bands` of each pixel */
    uint8_t *visible;  /* 0: no data, or transparent */
    uint8_t *mixtures; /* 0: none; otherwise 1 + the way along which its neighbours differ most */
    uint8_t *labels;
    CofiPalette palette;
    const CofiPosterised *to;
    Sums *sums;       /* of all labels */
    CofImage painted; /* the colours of all labels, side by side */
} Poster;

static bool is_rgb(const Poster *p)
{
    return cofi_family(p->in->kind) == COF_KIND_RGB;
}

/* Grey floats may have any range. */
static void find_range(Poster *p)
{
    float values[BLOCK], low = 0, high = 1;
    uint8_t visible[BLOCK];
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x += BLOCK) {
            int n = p->width - x < BLOCK ? p->width - x : BLOCK;
            cofi_visible_row(p->in, x, y, n, visible);
            cofi_load_row(p->in, 0, x, y, n, values);
            for (int i = 0; i < n; i++) {
                low = visible[i] && values[i] < low ? values[i] : low;
                high = visible[i] && values[i] > high ? values[i] : high;
            }
        }
    p->scale = 50 / (high / 2 - low / 2);
    p->low = low * p->scale;
}

static void measure_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    Poster *p = context;
    float planes[3][BLOCK], *features[3] = {planes[0], planes[1], planes[2]};
    for (int y = first; y < last; y++) {
        cofi_visible_row(p->in, 0, y, p->width, p->visible + (ptrdiff_t)y * p->width);
        for (int x = 0; x < p->width; x += BLOCK) {
            int n = p->width - x < BLOCK ? p->width - x : BLOCK;
            int16_t *value = p->values + ((ptrdiff_t)y * p->width + x) * p->bands;
            cofi_features_row(&p->colour, p->in, x, y, n, features);
            for (int i = 0; i < n; i++)
                for (int band = 0; band < p->bands; band++) {
                    float units = (planes[band][i] * p->scale - p->low) * UNIT;
                    *value++ = (int16_t)lrintf(fminf(fmaxf(units, -INT16_MAX), INT16_MAX));
                }
        }
    }
}

static int64_t squared_distance(const Poster *p, ptrdiff_t a, ptrdiff_t b)
{
    int64_t sum = 0;
    for (int band = 0; band < p->bands; band++) {
        int64_t d = p->values[a * p->bands + band] - p->values[b * p->bands + band];
        sum += d * d;
    }
    return sum;
}

static double distance(const Poster *p, ptrdiff_t a, ptrdiff_t b)
{
    return sqrt((double)squared_distance(p, a, b));
}

/* The index of a pixel; -1: there is none, or it is not visible. */
static ptrdiff_t index_of(const Poster *p, int x, int y)
{
    ptrdiff_t i = (ptrdiff_t)y * p->width + x;
    return x >= 0 && y >= 0 && x < p->width && y < p->height && p->visible[i] ? i : -1;
}

/* Of a pixel between two colours, such as one that an edge crosses. A thin line is no mixture: both
 * sides of it are alike. */
static uint8_t way_of_mixture(const Poster *p, int x, int y)
{
    ptrdiff_t i = index_of(p, x, y);
    int64_t most = 4 * MIN_STEP * MIN_STEP;
    uint8_t found = 0;
    for (uint8_t way = 0; way < 4 && i >= 0; way++) {
        ptrdiff_t a = index_of(p, x - steps[way][0], y - steps[way][1]);
        ptrdiff_t b = index_of(p, x + steps[way][0], y + steps[way][1]);
        int64_t apart = a >= 0 && b >= 0 ? squared_distance(p, a, b) : 0;
        if (apart <= most)
            continue;
        double to_a = distance(p, i, a), to_b = distance(p, i, b);
        if (to_a >= MIN_STEP && to_b >= MIN_STEP &&
            to_a + to_b <= MAX_DETOUR * sqrt((double)apart)) {
            most = apart;
            found = way + 1;
        }
    }
    return found;
}

static void find_mixtures(void *context, int first, int last, int worker)
{
    (void)worker;
    Poster *p = context;
    for (int y = first; y < last; y++)
        for (int x = 0; x < p->width; x++)
            p->mixtures[(ptrdiff_t)y * p->width + x] = way_of_mixture(p, x, y);
}

static void label_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    Poster *p = context;
    float planes[3][BLOCK];
    const float *const features[3] = {planes[0], planes[1], planes[2]};
    ptrdiff_t end = (ptrdiff_t)last * p->width;
    for (ptrdiff_t at = (ptrdiff_t)first * p->width; at < end; at += BLOCK) {
        int n = end - at < BLOCK ? (int)(end - at) : BLOCK;
        const int16_t *value = p->values + at * p->bands;
        for (int i = 0; i < n; i++)
            for (int band = 0; band < p->bands; band++)
                planes[band][i] = (float)*value++ / UNIT;
        cofi_label_row(&p->palette, &p->colour.kernels, features, n, p->labels + at);
    }
}

/* The first pixel on a way that is no mixture; -1: none is near. */
static ptrdiff_t end_of_way(const Poster *p, int x, int y, int dx, int dy)
{
    for (int i = 1; i <= REACH; i++) {
        ptrdiff_t at = index_of(p, x + i * dx, y + i * dy);
        if (at < 0 || !p->mixtures[at])
            return at;
    }
    return -1;
}

/* A mixture becomes the nearer one of the two colours that it is made of. */
static void label_mixtures(void *context, int first, int last, int worker)
{
    (void)worker;
    Poster *p = context;
    for (int y = first; y < last; y++)
        for (int x = 0; x < p->width; x++) {
            ptrdiff_t i = (ptrdiff_t)y * p->width + x;
            if (!p->mixtures[i])
                continue;
            const int *step = steps[p->mixtures[i] - 1];
            ptrdiff_t a = end_of_way(p, x, y, -step[0], -step[1]);
            ptrdiff_t b = end_of_way(p, x, y, step[0], step[1]);
            if (a >= 0 && b >= 0)
                p->labels[i] =
                    p->labels[squared_distance(p, i, a) <= squared_distance(p, i, b) ? a : b];
        }
}

/* The palette of pixels at equal distances in the list of all that are no mixtures; of all visible
 * pixels if there are only mixtures. COF_ERR_EMPTY if there are none. */
static CofStatus find_palette(CofiCall *call, Poster *p, int colours)
{
    size_t pixels = (size_t)p->width * (size_t)p->height, visible = 0, pure = 0, n = 0;
    for (size_t i = 0; i < pixels; i++) {
        visible += p->visible[i];
        pure += p->visible[i] && !p->mixtures[i];
    }
    if (visible == 0)
        return cofi_call_fail_argument(call, COF_ERR_EMPTY, "in", "no pixel has data");
    size_t usable = pure > 0 ? pure : visible, every = (usable - 1) / MAX_SAMPLES + 1, next = 0;
    CofiMark mark = cofi_call_mark(call);
    float *samples =
        cofi_call_take_raw(call, (usable - 1) / every + 1, (size_t)p->bands * sizeof *samples);
    if (!samples)
        return COF_ERR_MEMORY;
    for (size_t i = 0; i < pixels; i++)
        if (p->visible[i] && (pure == 0 || !p->mixtures[i]) && next++ % every == 0)
            for (size_t band = 0; band < (size_t)p->bands; band++)
                samples[n++] = (float)p->values[i * (size_t)p->bands + band] / UNIT;
    CofStatus status = cofi_palette_cluster(
        &p->palette, call, is_rgb(p) ? COF_KIND_RGB : COF_KIND_GREY, COF_SAMPLE_F32, p->bands,
        samples, n / (size_t)p->bands, colours, call->options.seed);
    cofi_call_release(call, mark);
    return status;
}

/* Mixtures do not count, unless a label has nothing else. */
static void sum_labels(Poster *p)
{
    size_t pixels = (size_t)p->width * (size_t)p->height;
    bool has_pure[COF_MAX_COLOURS] = {false};
    for (size_t i = 0; i < pixels; i++)
        has_pure[p->labels[i]] |= p->visible[i] && !p->mixtures[i];
    for (size_t i = 0; i < pixels; i++) {
        Sums *sum = &p->sums[p->labels[i]];
        if (!p->visible[i] || (p->mixtures[i] && has_pure[p->labels[i]]))
            continue;
        for (int band = 0; band < p->bands; band++)
            sum->values[band] += p->values[i * (size_t)p->bands + (size_t)band];
        sum->n++;
    }
}

/* Finds the colours of the labels that have pixels, and numbers these from 0. */
static int find_colours(Poster *p)
{
    float means[3][COF_MAX_COLOURS];
    const float *const rows[3] = {means[0], means[1], means[2]};
    uint8_t numbers[COF_MAX_COLOURS] = {0};
    size_t pixels = (size_t)p->width * (size_t)p->height;
    int n = 0;
    sum_labels(p);
    for (int label = 0; label < COF_MAX_COLOURS; label++) {
        const Sums *sum = &p->sums[label];
        if (sum->n == 0)
            continue;
        for (int band = 0; band < p->bands; band++)
            means[band][n] =
                (float)(((double)sum->values[band] / (double)sum->n / UNIT + (double)p->low) /
                        (double)p->scale);
        numbers[label] = (uint8_t)n++;
    }
    for (size_t i = 0; i < pixels; i++)
        p->labels[i] = p->visible[i] ? numbers[p->labels[i]] : 0;
    if (is_rgb(p))
        cofi_store_lab_row(&p->colour, &p->painted, 0, 0, n, rows);
    else
        cofi_store_row(&p->painted, 0, 0, 0, n, means[0]);
    return n;
}

static void paint_row(const Poster *p, int y)
{
    const CofImage *out = p->to->out;
    const uint8_t *labels = p->labels + (ptrdiff_t)y * p->width;
    const uint8_t *visible = p->visible + (ptrdiff_t)y * p->width;
    size_t size = cofi_sample_size(out->sample);
    for (int channel = 0; channel < out->channels; channel++) {
        unsigned char *to = cofi_pixel(out, 0, y) + channel * out->channel_stride;
        cofi_copy_row(p->in, 0, y, out, 0, y, channel, p->width,
                      channel < p->bands ? visible : NULL);
        for (int x = 0; x < p->width && channel < p->bands; x++)
            if (visible[x])
                memcpy(to + x * out->pixel_stride,
                       cofi_pixel(&p->painted, labels[x], 0) + channel * p->painted.channel_stride,
                       size);
    }
}

static void store_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Poster *p = context;
    for (int y = first; y < last; y++) {
        if (p->to->out)
            paint_row(p, y);
        for (int x = 0; x < p->width && p->to->labels; x++)
            *cofi_pixel(p->to->labels, x, y) = p->labels[(ptrdiff_t)y * p->width + x];
    }
}

static void store_palette(const Poster *p, int n)
{
    float values[COF_MAX_COLOURS];
    for (int band = 0; band < p->bands && p->to->palette; band++) {
        cofi_load_row(&p->painted, band, 0, 0, n, values);
        for (int i = 0; i < n; i++)
            p->to->palette[i * p->bands + band] = values[i];
    }
    if (p->to->n)
        *p->to->n = n;
}

static CofStatus open_poster(CofiCall *call, Poster *p)
{
    const CofImage *in = p->in;
    size_t pixels = (size_t)in->width * (size_t)in->height, sample = cofi_sample_size(in->sample);
    p->width = in->width;
    p->height = in->height;
    p->bands = cofi_bands(in);
    p->scale = is_rgb(p) ? 1 : (float)(100 / cofi_sample_max(in->sample));
    p->values = cofi_call_take_raw(call, pixels, (size_t)p->bands * sizeof *p->values);
    p->visible = cofi_call_take_raw(call, pixels, 1);
    p->mixtures = cofi_call_take_raw(call, pixels, 1);
    p->labels = cofi_call_take_raw(call, pixels, 1);
    p->sums = cofi_call_take(call, COF_MAX_COLOURS, sizeof *p->sums);
    CofImage painted = {.data = cofi_call_take(call, COF_MAX_COLOURS, (size_t)p->bands * sample),
                        .width = COF_MAX_COLOURS,
                        .height = 1,
                        .channels = p->bands,
                        .kind = cofi_family(in->kind),
                        .sample = in->sample};
    if (!p->values || !p->visible || !p->mixtures || !p->labels || !p->sums || !painted.data)
        return COF_ERR_MEMORY;
    (void)cofi_image_complete(&painted, &p->painted);
    CofStatus status = cofi_colour_init(&p->colour, call, in, (double)pixels);
    return status == COF_OK ? cofi_colour_init_stores(&p->colour, call, in) : status;
}

static CofStatus find_labels(CofiCall *call, Poster *p, int colours)
{
    if (p->in->sample == COF_SAMPLE_F32 && !is_rgb(p))
        find_range(p);
    CofStatus status = cofi_call_rows(call, p->height, 2, measure_rows, p);
    cofi_call_stage(call, COF_STAGE_PALETTE);
    if (status == COF_OK)
        status = cofi_call_rows(call, p->height, 2, find_mixtures, p);
    if (status == COF_OK)
        status = find_palette(call, p, colours);
    cofi_call_stage(call, COF_STAGE_LABELS);
    if (status == COF_OK)
        status = cofi_call_rows(call, p->height, 2, label_rows, p);
    if (status == COF_OK)
        status = cofi_call_rows(call, p->height, 1, label_mixtures, p);
    cofi_palette_free(&p->palette);
    return status;
}

CofStatus cofi_posterise(CofiCall *call, const CofImage *in, int colours,
                         const CofiPosterised *posterised)
{
    Poster p = {.in = in, .to = posterised};
    CofiMark mark = cofi_call_mark(call);
    double pixels = (double)in->width * in->height;
    cofi_call_stage(call, COF_STAGE_COLOUR);
    CofStatus status = open_poster(call, &p);
    if (status == COF_OK)
        status = find_labels(call, &p, colours);
    if (status == COF_OK)
        status = cofi_merge_small_parts(call, p.labels, p.visible, p.width, p.height,
                                        (size_t)ceil(call->options.min_area * pixels));
    if (status == COF_OK) {
        cofi_call_stage(call, COF_STAGE_STORE);
        int n = find_colours(&p);
        cofi_call_output_rows(call, p.height, 1, store_rows, &p);
        store_palette(&p, n);
    }
    cofi_call_release(call, mark);
    return status;
}
