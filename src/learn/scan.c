/* SPDX-License-Identifier: BSD-2-Clause */
/* The first look at images: samples for the palette, range, number of pixels; and what follows from
 * them. Everything seen is a sum, a minimum, a maximum or a set, so that the order of images and
 * parts does not matter. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "image/image.h"
#include "learn/stats.h"

#define DEFAULT_STEP 10
#define SAMPLES_PER_COLOUR 50
#define MAX_SAMPLES ((size_t)1 << 16)

/* As many pairs are counted as there are in so many windows of the usual side; in fewer of larger
 * ones, which have more pairs each. Many labels make many kinds of pairs, and need more. */
#define MAX_WINDOWS ((uint64_t)1 << 14)
#define MAX_WINDOWS_OF_MANY ((uint64_t)1 << 16)
#define DEFAULT_WINDOW 15

/* More will never be seen; made-up files may claim it. */
#define MAX_PIXELS ((uint64_t)1 << 62)

/* Pixels looked at at once, and samples among them. */
#define BLOCK 256
#define SAMPLES 32

/* Where the grid finds fewer than this many, the reserve helps. */
static size_t enough_samples(const CofStats *stats)
{
    return (size_t)stats->learning.colours * SAMPLES_PER_COLOUR;
}

void cofi_scan_init(CofiScan *scan, const CofStats *stats, int bands)
{
    cofi_samples_init(&scan->samples, bands, MAX_SAMPLES);
    cofi_samples_init(&scan->reserve, bands, enough_samples(stats));
}

/* Places of a grid from 0 on below n. */
static size_t grid_size(int n, int step)
{
    return (size_t)(n / step + (n % step != 0));
}

static size_t grid_samples(const CofImage *image, int step)
{
    return grid_size(image->full_width, step) * grid_size(image->full_height, step);
}

/* The step follows from the size of the full image alone: every part of it finds the same. */
static int grid_step(const CofImage *image, int colours)
{
    int step = DEFAULT_STEP;
    while (step > 1 && grid_samples(image, step) < (size_t)colours * SAMPLES_PER_COLOUR)
        step--;
    while (grid_samples(image, step) > MAX_SAMPLES)
        step++;
    return step;
}

/* Everything that a scan of one image finds, put into the stats only when all of it is there. */
typedef struct Scanning {
    CofStats *stats;
    CofiCall *call;
    const CofImage *image;
    const CofiRoi *roi;
    CofiColour colour;
    CofRect seen; /* pixels to look at, in coordinates of the view */
    int step;
    bool grey;
    bool reserve;               /* is filled */
    bool all_members;           /* all pixels of the region do */
    double *smallest, *largest; /* of each row of `seen` */
    uint64_t *pixels;           /* of each row of `seen` */
    CofiScan *found;            /* samples and reserve of each worker */
    atomic_bool no_memory;
} Scanning;

/* Keeps n pixels, `step` apart from (x, y) on, that were seen, as far as their set wants them. */
static void keep_pixels(Scanning *s, int x, int y, int n, int step, const uint8_t *seen,
                        CofiSamples *set)
{
    float values[COF_MAX_BANDS][SAMPLES], row[COF_MAX_BANDS], *planes[COF_MAX_BANDS];
    CofImage apart = *s->image;
    apart.data = cofi_pixel(s->image, x, y);
    apart.step *= step;
    for (int band = 0; band < set->bands; band++)
        planes[band] = values[band];
    cofi_features_row(&s->colour, &apart, 0, 0, n, planes);
    for (int i = 0; i < n; i++) {
        uint64_t hash = cofi_place_hash(s->image->x + x + i * step, s->image->y + y);
        if (!seen[i * step] || !cofi_samples_want(set, hash))
            continue;
        for (int band = 0; band < set->bands; band++)
            row[band] = values[band][i];
        if (cofi_samples_add(set, hash, row) != COF_OK)
            atomic_store(&s->no_memory, true);
    }
}

/* Keeps the pixels that lie on the grid, and those that have the smallest hashes off it. */
static void sample_block(Scanning *s, int x, int y, int n, const uint8_t *seen, CofiScan *found)
{
    uint8_t wanted[BLOCK];
    int full_x = s->image->x + x, full_y = s->image->y + y;
    int first = (s->step - full_x % s->step) % s->step, end = full_y % s->step == 0 ? n : 0;
    for (int i = first; i < end; i += SAMPLES * s->step) {
        int left = (end - i - 1) / s->step + 1;
        keep_pixels(s, x + i, y, left < SAMPLES ? left : SAMPLES, s->step, seen + i,
                    &found->samples);
    }
    if (!s->reserve)
        return;
    s->colour.kernels.hash_row(full_x, full_y, n, found->reserve.ceiling, wanted);
    for (int i = 0; i < n; i++)
        wanted[i] &= seen[i];
    for (int i = first; i < end; i += s->step)
        wanted[i] = 0;
    const uint8_t *next = wanted;
    while ((next = memchr(next, 1, (size_t)(wanted + n - next)))) {
        int i = (int)(next++ - wanted);
        keep_pixels(s, x + i, y, 1, 1, seen + i, &found->reserve);
    }
}

static void widen_range_by_bytes(Scanning *s, int i, int x, int y, int n)
{
    const unsigned char *samples = cofi_pixel(s->image, x, y);
    unsigned char low = 255, high = 0;
    for (int j = 0; j < n; j++) {
        low = samples[j] < low ? samples[j] : low;
        high = samples[j] > high ? samples[j] : high;
    }
    s->smallest[i] = fmin(s->smallest[i], low);
    s->largest[i] = fmax(s->largest[i], high);
}

/* A few extremes side by side. */
static void widen_range(Scanning *s, int i, int x, int y, int n, const uint8_t *seen)
{
    enum { LANES = 8 };
    float values[BLOCK], low[LANES], high[LANES];
    cofi_load_row(s->image, 0, x, y, n, values);
    for (int lane = 0; lane < LANES; lane++) {
        low[lane] = INFINITY;
        high[lane] = -INFINITY;
    }
    for (int j = 0; j < n; j++)
        values[j] = seen[j] ? values[j] : NAN; /* which is neither less nor more */
    for (int j = n; j < (n + LANES - 1) / LANES * LANES; j++)
        values[j] = NAN;
    for (int j = 0; j < n; j += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            float value = values[j + lane];
            low[lane] = value < low[lane] ? value : low[lane];
            high[lane] = value > high[lane] ? value : high[lane];
        }
    for (int lane = 0; lane < LANES; lane++) {
        s->smallest[i] = fmin(s->smallest[i], (double)low[lane]);
        s->largest[i] = fmax(s->largest[i], (double)high[lane]);
    }
}

static void scan_block(Scanning *s, int i, int x, int n, CofiScan *found)
{
    uint8_t seen[BLOCK], members[BLOCK];
    int y = s->seen.y + i;
    cofi_visible_row(s->image, x, y, n, seen);
    if (s->grey && s->image->sample == COF_U8 && s->image->step == 1 &&
        !cofi_may_have_gaps(s->image))
        widen_range_by_bytes(s, i, x, y, n);
    else if (s->grey)
        widen_range(s, i, x, y, n, seen);
    else
        sample_block(s, x, y, n, seen, found);
    if (s->all_members)
        return;
    cofi_member_row(s->roi, s->image, x, y, n, members);
    unsigned histograms = 0;
    for (int j = 0; j < n; j++)
        histograms += members[j];
    s->pixels[i] += histograms;
}

static uint64_t pixels_of_region(const Scanning *s, int i)
{
    const CofImage *image = s->image;
    CofRect row = {image->x + s->seen.x, image->y + s->seen.y + i, s->seen.width, 1};
    CofRect inside = cofi_rect_intersect(row, s->roi->region);
    return cofi_rect_empty(inside) ? 0 : (uint64_t)inside.width;
}

static void scan_rows(void *context, int first, int last, int worker)
{
    Scanning *s = context;
    int right = s->seen.x + s->seen.width;
    for (int i = first; i < last; i++) {
        s->smallest[i] = INFINITY;
        s->largest[i] = -INFINITY;
        s->pixels[i] = s->all_members ? pixels_of_region(s, i) : 0;
        bool on_grid = (s->image->y + s->seen.y + i) % s->step == 0;
        if (s->all_members && !s->grey && !s->reserve && !on_grid)
            continue;
        for (int x = s->seen.x; x < right; x += BLOCK)
            scan_block(s, i, x, right - x < BLOCK ? right - x : BLOCK, &s->found[worker]);
    }
}

/* Without gaps, three times as many pixels off the grid as the reserve wants have hashes up to
 * this. */
static uint64_t usual_ceiling(const Scanning *s)
{
    double pixels = (double)s->seen.width * s->seen.height * (1 - 1.0 / (s->step * s->step));
    double share = 3 * (double)enough_samples(s->stats) / fmax(pixels, 1);
    return share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX;
}

static void free_found(Scanning *s)
{
    for (int worker = 0; worker < s->call->threads; worker++)
        cofi_scan_free(&s->found[worker]);
}

/* Samples go into empty sets; into the reserve only with hashes up to the ceiling. Returns whether
 * those were enough. */
static CofStatus scan_up_to(Scanning *s, uint64_t ceiling, double units, bool *enough)
{
    for (int worker = 0; worker < s->call->threads; worker++) {
        cofi_scan_init(&s->found[worker], s->stats, cofi_bands(s->image));
        s->found[worker].reserve.ceiling = ceiling;
    }
    CofStatus status = cofi_call_rows(s->call, s->seen.height, units, scan_rows, s);
    size_t found = 0;
    for (int worker = 0; worker < s->call->threads; worker++)
        found += s->found[worker].reserve.n;
    *enough = !s->reserve || ceiling == UINT64_MAX || found >= enough_samples(s->stats);
    return atomic_load(&s->no_memory) ? COF_ERR_MEMORY : status;
}

static CofStatus scan_pixels(Scanning *s)
{
    size_t rows = (size_t)s->seen.height;
    s->smallest = cofi_call_take(s->call, rows, sizeof *s->smallest);
    s->largest = cofi_call_take(s->call, rows, sizeof *s->largest);
    s->pixels = cofi_call_take(s->call, rows, sizeof *s->pixels);
    if (!s->smallest || !s->largest || !s->pixels)
        return COF_ERR_MEMORY;
    bool enough;
    CofStatus status = scan_up_to(s, usual_ceiling(s), 1, &enough);
    if (status != COF_OK || enough)
        return status;
    free_found(s);
    return scan_up_to(s, UINT64_MAX, 0, &enough);
}

/* The sums over rows and workers as a CofiScan, joined to the stats like any other. */
static CofStatus commit(Scanning *s)
{
    CofiScan *scan = &s->found[0];
    scan->known = true;
    scan->family = cofi_family(s->image->kind);
    scan->sample = s->image->sample;
    scan->bands = cofi_bands(s->image);
    scan->smallest = INFINITY;
    scan->largest = -INFINITY;
    for (int i = 0; i < s->seen.height; i++) {
        scan->pixels += s->pixels[i];
        scan->smallest = fmin(scan->smallest, s->smallest[i]);
        scan->largest = fmax(scan->largest, s->largest[i]);
    }
    scan->ranged = scan->smallest <= scan->largest;
    scan->smallest = scan->ranged ? scan->smallest + 0.0 : 0; /* no -0 */
    scan->largest = scan->ranged ? scan->largest + 0.0 : 0;
    for (int worker = 1; worker < s->call->threads; worker++)
        if (cofi_samples_join(&scan->samples, &s->found[worker].samples) != COF_OK ||
            cofi_samples_join(&scan->reserve, &s->found[worker].reserve) != COF_OK)
            return COF_ERR_MEMORY;
    return cofi_scan_merge(s->stats, scan);
}

CofStatus cofi_scan_image(CofStats *stats, CofiCall *call, const CofImage *image,
                          const CofiRoi *roi, bool alone)
{
    Scanning s = {.stats = stats, .call = call, .image = image, .roi = roi};
    s.grey = cofi_family(image->kind) == COF_GREY;
    s.reserve = !s.grey && (!alone || cofi_may_have_gaps(image));
    s.all_members = !roi->has_mask && !cofi_may_have_gaps(image);
    s.step = grid_step(image, stats->learning.colours);
    s.seen = cofi_rect_intersect(roi->part, cofi_view_rect(image));
    s.seen.x -= image->x;
    s.seen.y -= image->y;
    s.found = cofi_call_take(call, (size_t)call->threads, sizeof *s.found);
    if (!s.found)
        return COF_ERR_MEMORY;
    double pixels = (double)s.seen.width * s.seen.height / s.step / s.step;
    CofStatus status = cofi_colour_init(&s.colour, call, image, pixels);
    if (status == COF_OK)
        status = scan_pixels(&s);
    if (status == COF_OK)
        status = commit(&s);
    free_found(&s);
    return status;
}

static bool alike(const CofiScan *a, const CofiScan *b)
{
    return a->family == b->family && a->bands == b->bands &&
           (a->family == COF_RGB || a->sample == b->sample);
}

/* The samples of both, as sets of their own, so that a failure changes nothing. */
static CofStatus join_samples(const CofStats *stats, const CofiScan *a, const CofiScan *b,
                              CofiScan *joined)
{
    const CofiScan *both[2] = {a, b};
    cofi_scan_init(joined, stats, b->bands);
    for (int i = 0; i < 2; i++)
        if (cofi_samples_join(&joined->samples, &both[i]->samples) != COF_OK ||
            cofi_samples_join(&joined->reserve, &both[i]->reserve) != COF_OK) {
            cofi_scan_free(joined);
            return COF_ERR_MEMORY;
        }
    return COF_OK;
}

CofStatus cofi_scan_merge(CofStats *into, const CofiScan *from)
{
    CofiScan *scan = &into->scan, joined;
    if (!from->known)
        return COF_OK;
    if (scan->known && !alike(scan, from))
        return COF_ERR_MISMATCH;
    if (scan->pixels > MAX_PIXELS - from->pixels)
        return COF_ERR_ARGUMENT;
    if (join_samples(into, scan, from, &joined) != COF_OK)
        return COF_ERR_MEMORY;
    cofi_samples_free(&scan->samples);
    cofi_samples_free(&scan->reserve);
    scan->samples = joined.samples;
    scan->reserve = joined.reserve;
    if (!scan->known || from->sample < scan->sample)
        scan->sample = from->sample; /* which one matters to no RGB palette, but the order might */
    scan->known = true;
    scan->family = from->family;
    scan->bands = from->bands;
    scan->pixels += from->pixels;
    if (from->ranged) {
        scan->smallest = scan->ranged ? fmin(scan->smallest, from->smallest) : from->smallest;
        scan->largest = scan->ranged ? fmax(scan->largest, from->largest) : from->largest;
        scan->ranged = true;
    }
    return COF_OK;
}

void cofi_scan_free(CofiScan *scan)
{
    cofi_samples_free(&scan->samples);
    cofi_samples_free(&scan->reserve);
    *scan = (CofiScan){0};
}

int cofi_sampling_rate(const CofStats *stats)
{
    int rate = 0, window = stats->learning.window;
    uint64_t most = stats->palette.k > COFI_FEW_LABELS ? MAX_WINDOWS_OF_MANY : MAX_WINDOWS;
    if (window > DEFAULT_WINDOW)
        most = most * DEFAULT_WINDOW / (uint64_t)window;
    if (stats->learning.sampling == COF_SAMPLING_AUTO)
        while (stats->scan.pixels > most << rate) /* of at most 2^62 pixels */
            rate++;
    return rate;
}

static CofStatus settle_grey(const CofStats *stats, CofiPalette *palette)
{
    const CofiLearning *learning = &stats->learning;
    const CofiScan *scan = &stats->scan;
    bool given = learning->low < learning->high;
    if (scan->sample == COF_U8 && learning->levels == 256 && !given)
        return cofi_palette_exact(palette);
    return cofi_palette_bins(palette, scan->sample, learning->levels,
                             given ? learning->low : scan->smallest,
                             given ? learning->high : scan->largest);
}

/* The samples to cluster: the grid's, helped by the reserve where they are too few. */
static CofStatus choose_samples(CofStats *stats, CofiCall *call, float **rows, size_t *n)
{
    CofiSamples *grid = &stats->scan.samples, *reserve = &stats->scan.reserve;
    size_t enough = enough_samples(stats), width = (size_t)stats->scan.bands;
    /* Which come first does not matter here, only which are there. */
    if ((grid->n > grid->bound && cofi_samples_trim(grid) != COF_OK) ||
        (grid->n < enough && cofi_samples_trim(reserve) != COF_OK))
        return COF_ERR_MEMORY;
    size_t more = grid->n < enough ? enough - grid->n : 0;
    if (more > reserve->n)
        more = reserve->n;
    *n = grid->n + more;
    *rows = cofi_call_take(call, *n, width * sizeof **rows);
    if (!*rows)
        return COF_ERR_MEMORY;
    if (grid->n > 0)
        memcpy(*rows, grid->rows, grid->n * width * sizeof **rows);
    if (more > 0)
        memcpy(*rows + grid->n * width, reserve->rows, more * width * sizeof **rows);
    return COF_OK;
}

static CofStatus make_palette(CofStats *stats, CofiCall *call, CofiPalette *palette)
{
    const CofiScan *scan = &stats->scan;
    if (!scan->known)
        return COF_ERR_EMPTY;
    if (scan->family == COF_GREY)
        return scan->ranged ? settle_grey(stats, palette) : COF_ERR_EMPTY;
    float *rows;
    size_t n;
    CofStatus status = choose_samples(stats, call, &rows, &n);
    if (status != COF_OK)
        return status;
    if (n == 0)
        return COF_ERR_EMPTY;
    return cofi_palette_cluster(palette, call, scan->family, scan->sample, scan->bands, rows, n,
                                stats->learning.colours, stats->learning.seed);
}

CofStatus cofi_scan_settle(CofStats *stats, CofiCall *call)
{
    CofiPalette palette = {0};
    CofStatus status = make_palette(stats, call, &palette);
    return cofi_stats_settle_with(stats, &palette, status);
}
