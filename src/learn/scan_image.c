/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans one image: samples on a grid and in a reserve, range, number of pixels. */
#include "learn/scan_image.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arithmetic.h"
#include "call/resident.h"
#include "image/colour.h"
#include "image/image.h"
#include "learn/scan_grid.h"

#define DEFAULT_STEP 10

/* Pixels that are read at a time. */
#define BLOCK 256

static size_t grid_samples(const CofImage *image, int step)
{
    return cofi_grid_points(0, image->full_width, step) *
           cofi_grid_points(0, image->full_height, step);
}

/* The step depends only on the size of the full image and on the colours, so that parts use the
 * same grid. */
static int grid_step(const CofImage *image, const CofiLearning *learning)
{
    int step = DEFAULT_STEP;
    while (step > 1 && grid_samples(image, step) < cofi_scan_enough(learning))
        step--;
    while (grid_samples(image, step) > cofi_scan_most(learning))
        step++;
    return step;
}

/* The state of a scan of one image; the result is merged when it is complete. */
typedef struct Scanning {
    const CofiLearning *learning;
    CofiCall *call;
    const CofImage *image;
    const CofiRoi *roi;
    CofiColour colour;
    CofRect seen; /* pixels to scan, in coordinates of the view */
    int step;
    bool grey;
    bool reserve;               /* the reserve may be needed */
    bool all_members;           /* all pixels of the region are members */
    double *smallest, *largest; /* of each row of `seen` */
    uint64_t *pixels;           /* of each row of `seen` */
    CofiScan *found;            /* samples and reserve of each worker */
    atomic_bool no_memory;
} Scanning;

/* Adds n pixels, `step` apart from (x, y) on, to a set, unless they are invisible. */
static void keep_pixels(Scanning *s, int x, int y, int n, int step, const uint8_t *seen,
                        CofiSamples *set)
{
    float values[COF_MAX_BANDS][COFI_MAX_APART], row[COF_MAX_BANDS];
    cofi_load_apart(&s->colour, s->image, x, y, n, step, values);
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

/* Adds the pixels on the grid to the samples, and those off it to the reserve. */
static void sample_block(Scanning *s, int x, int y, int n, const uint8_t *seen, CofiScan *found)
{
    uint8_t wanted[BLOCK];
    int full_x = s->image->x + x, full_y = s->image->y + y;
    int first = (s->step - full_x % s->step) % s->step, end = full_y % s->step == 0 ? n : 0;
    for (int i = first; i < end; i += COFI_MAX_APART * s->step) {
        int left = (end - i - 1) / s->step + 1;
        keep_pixels(s, x + i, y, left < COFI_MAX_APART ? left : COFI_MAX_APART, s->step, seen + i,
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

/* Several lanes, so that the loop can be vectorised. */
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
        values[j] = seen[j] ? values[j] : NAN; /* ignored by both comparisons */
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
    if (s->grey && s->image->sample == COF_SAMPLE_U8 && s->image->pixel_stride == 1 &&
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

/* Whether the grid has enough samples, whatever else is scanned. */
static bool has_enough(const Scanning *s)
{
    const CofImage *image = s->image;
    size_t columns = cofi_grid_points(image->x + s->seen.x, s->seen.width, s->step);
    size_t rows = cofi_grid_points(image->y + s->seen.y, s->seen.height, s->step);
    return !cofi_may_have_gaps(image) && columns * rows >= cofi_scan_enough(s->learning);
}

/* The pixels of the region in some rows of `seen`. */
static uint64_t pixels_of_region(const Scanning *s, int first, int rows)
{
    const CofImage *image = s->image;
    CofRect part = {image->x + s->seen.x, image->y + s->seen.y + first, s->seen.width, rows};
    CofRect inside = cofi_rect_intersect(part, s->roi->region);
    return cofi_rect_empty(inside) ? 0 : (uint64_t)inside.width * (uint64_t)inside.height;
}

/* Whether all pixels of the grid are samples, and nothing else is needed. */
static bool needs_only_grid(const Scanning *s)
{
    return s->all_members && !s->grey && !s->reserve;
}

static void scan_rows(void *context, int first, int last, int worker)
{
    Scanning *s = context;
    int right = s->seen.x + s->seen.width;
    for (int i = first; i < last; i++) {
        s->smallest[i] = INFINITY;
        s->largest[i] = -INFINITY;
        s->pixels[i] = s->all_members ? pixels_of_region(s, i, 1) : 0;
        for (int x = s->seen.x; x < right; x += BLOCK)
            scan_block(s, i, x, right - x < BLOCK ? right - x : BLOCK, &s->found[worker]);
    }
}

/* In an image without gaps, about three times as many pixels as the reserve needs have hashes up to
 * this. */
static uint64_t usual_ceiling(const Scanning *s)
{
    double pixels = (double)s->seen.width * s->seen.height * (1 - 1.0 / (s->step * s->step));
    double share = 3 * (double)cofi_scan_enough(s->learning) / fmax(pixels, 1);
    return share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX;
}

static void free_found(Scanning *s)
{
    for (int worker = 0; worker < s->call->threads; worker++)
        cofi_scan_free(&s->found[worker]);
}

/* Scans into empty sets; the reserve takes only hashes up to the ceiling. *enough tells if they
 * filled it. */
static CofStatus scan_up_to(Scanning *s, uint64_t ceiling, double units, bool *enough)
{
    for (int worker = 0; worker < s->call->threads; worker++) {
        cofi_scan_init(&s->found[worker], s->learning, cofi_bands(s->image));
        s->found[worker].reserve.ceiling = ceiling;
    }
    CofStatus status = cofi_call_rows(s->call, s->seen.height, units, scan_rows, s);
    size_t found = 0;
    for (int worker = 0; worker < s->call->threads; worker++)
        found += s->found[worker].reserve.n;
    *enough = !s->reserve || ceiling == UINT64_MAX || found >= cofi_scan_enough(s->learning);
    return atomic_load(&s->no_memory) ? COF_ERR_MEMORY : status;
}

static CofStatus scan_only_grid(Scanning *s)
{
    cofi_scan_init(&s->found[0], s->learning, cofi_bands(s->image));
    s->found[0].pixels = pixels_of_region(s, 0, s->seen.height);
    return cofi_scan_grid(&s->found[0].samples, s->call, &s->colour, s->image, s->seen, s->step);
}

/* Joins the sums over rows and the sets of workers in the first scan. */
static CofStatus join_found(Scanning *s)
{
    CofiScan *scan = &s->found[0];
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
    size_t samples = 0;
    for (int worker = 1; worker < s->call->threads; worker++)
        samples += s->found[worker].samples.n;
    if (cofi_samples_reserve(&scan->samples, samples) != COF_OK)
        return COF_ERR_MEMORY;
    for (int worker = 1; worker < s->call->threads; worker++)
        if (cofi_samples_join(&scan->samples, &s->found[worker].samples) != COF_OK ||
            cofi_samples_join(&scan->reserve, &s->found[worker].reserve) != COF_OK)
            return COF_ERR_MEMORY;
    return COF_OK;
}

static CofStatus scan_all_pixels(Scanning *s)
{
    size_t rows = (size_t)s->seen.height;
    s->smallest = cofi_call_take(s->call, rows, sizeof *s->smallest);
    s->largest = cofi_call_take(s->call, rows, sizeof *s->largest);
    s->pixels = cofi_call_take(s->call, rows, sizeof *s->pixels);
    if (!s->smallest || !s->largest || !s->pixels)
        return COF_ERR_MEMORY;
    bool enough;
    CofStatus status = scan_up_to(s, usual_ceiling(s), 1, &enough);
    if (status == COF_OK && !enough) {
        free_found(s);
        status = scan_up_to(s, UINT64_MAX, 0, &enough);
    }
    return status == COF_OK ? join_found(s) : status;
}

/* Reads the pixels of an image in a buffer of the caller, as far as they are needed. */
static CofStatus read_pixels(const Scanning *s)
{
    int beyond = s->image->y % s->step;
    if (s->image->data != s->call->resident_in.host)
        return COF_OK;
    cofi_call_rouse(s->call);
    return needs_only_grid(s)
               ? cofi_resident_read_rows(s->call, beyond ? s->step - beyond : 0, s->step)
               : cofi_resident_read(s->call);
}

/* Merges what was found like any other scan. */
static CofStatus commit(Scanning *s, CofiScan *into)
{
    CofiScan *scan = &s->found[0];
    scan->known = true;
    scan->family = cofi_family(s->image->kind);
    scan->sample = s->image->sample;
    scan->bands = cofi_bands(s->image);
    return cofi_scan_take(into, s->learning, scan);
}

CofStatus cofi_scan_image(CofiScan *into, const CofiLearning *learning, CofiCall *call,
                          const CofImage *image, const CofiRoi *roi)
{
    assert(cofi_rect_holds(cofi_view_rect(image), roi->part));
    Scanning s = {.learning = learning, .call = call, .image = image, .roi = roi};
    s.grey = cofi_family(image->kind) == COF_KIND_GREY;
    s.all_members = !roi->has_mask && !cofi_may_have_gaps(image);
    s.step = grid_step(image, learning);
    s.seen = cofi_rect_intersect(roi->part, cofi_view_rect(image));
    s.seen.x -= image->x;
    s.seen.y -= image->y;
    s.reserve = !s.grey && s.step > 1 && !has_enough(&s);
    s.found = cofi_call_take(call, (size_t)call->threads, sizeof *s.found);
    if (!s.found)
        return COF_ERR_MEMORY;
    double pixels = (double)s.seen.width * s.seen.height / s.step / s.step;
    CofStatus status = cofi_colour_init(&s.colour, call, image, pixels);
    if (status == COF_OK)
        status = read_pixels(&s);
    if (status == COF_OK)
        status = needs_only_grid(&s) ? scan_only_grid(&s) : scan_all_pixels(&s);
    if (status == COF_OK)
        status = commit(&s, into);
    free_found(&s);
    return status;
}
