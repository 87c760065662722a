/* SPDX-License-Identifier: BSD-2-Clause */
/* The first look at images: samples for the palette, range, number of pixels; and what follows from
 * them. Everything seen is a sum, a minimum, a maximum or a set, so that the order of images and
 * parts does not matter. */
#include <math.h>
#include <string.h>

#include "image.h"
#include "memory.h"
#include "stats.h"

#define USUAL_STEP 10
#define SAMPLES_PER_COLOUR 50
#define MOST_SAMPLES ((size_t)1 << 16)
#define MOST_FIRSTS ((uint64_t)1 << 18)

/* Pixels looked at at once. */
#define BLOCK 256

size_t cofi_reserve_room(const CofStats *stats)
{
    return (size_t)stats->learning.colours * SAMPLES_PER_COLOUR;
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
    int step = USUAL_STEP;
    while (step > 1 && grid_samples(image, step) < (size_t)colours * SAMPLES_PER_COLOUR)
        step--;
    while (grid_samples(image, step) > MOST_SAMPLES)
        step++;
    return step;
}

static CofStatus samples_make_room(CofiSamples *samples, size_t more, int bands)
{
    if (more > SIZE_MAX / 2 - samples->n)
        return COF_ERR_MEMORY;
    size_t needed = samples->n + more;
    if (needed <= samples->room)
        return COF_OK;
    size_t room = needed < 2 * samples->room ? 2 * samples->room : needed;
    float *rows = cofi_calloc(room, (size_t)bands * sizeof *rows);
    if (!rows)
        return COF_ERR_MEMORY;
    if (samples->n > 0)
        memcpy(rows, samples->rows, samples->n * (size_t)bands * sizeof *rows);
    cofi_free(samples->rows);
    samples->rows = rows;
    samples->room = room;
    return COF_OK;
}

/* Orders by hash, then by value: two images may have samples at one place. */
static int compare_reserves(uint64_t hash, const float *row, uint64_t other_hash,
                            const float *other_row, int bands)
{
    if (hash != other_hash)
        return hash < other_hash ? -1 : 1;
    for (int i = 0; i < bands; i++)
        if (row[i] != other_row[i])
            return row[i] < other_row[i] ? -1 : 1;
    return 0;
}

static CofStatus reserve_make_room(CofiReserve *reserve, size_t room, int bands)
{
    if (reserve->hashes)
        return COF_OK;
    reserve->hashes = cofi_calloc(room, sizeof *reserve->hashes);
    reserve->rows = cofi_calloc(room, (size_t)bands * sizeof *reserve->rows);
    if (reserve->hashes && reserve->rows)
        return COF_OK;
    cofi_free(reserve->hashes);
    cofi_free(reserve->rows);
    *reserve = (CofiReserve){0};
    return COF_ERR_MEMORY;
}

/* Puts a sample in its place, and drops the last if there is no room. */
static void reserve_insert(CofiReserve *reserve, size_t room, int bands, uint64_t hash,
                           const float *row)
{
    size_t width = (size_t)bands, low = 0, high = reserve->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_reserves(hash, row, reserve->hashes[middle], reserve->rows + middle * width,
                             bands) < 0)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == room)
        return;
    if (reserve->n < room)
        reserve->n++;
    size_t behind = reserve->n - 1 - low;
    memmove(reserve->hashes + low + 1, reserve->hashes + low, behind * sizeof hash);
    memmove(reserve->rows + (low + 1) * width, reserve->rows + low * width,
            behind * width * sizeof *row);
    reserve->hashes[low] = hash;
    memcpy(reserve->rows + low * width, row, width * sizeof *row);
}

/* Everything that a scan of one image finds, put into the stats only when all of it is there. */
typedef struct Scanning {
    CofStats *stats;
    CofiRun *run;
    const CofImage *image;
    const CofiWhere *where;
    CofiColour colour;
    CofRect seen; /* pixels to look at, in coordinates of the view */
    int step;
    bool wants_range, wants_samples;
    double *smallest, *largest; /* of each row of `seen` */
    uint64_t *pixels;           /* of each row of `seen` */
    CofiSamples found;
    CofiReserve reserve;
} Scanning;

/* One pixel's features, with -0 made 0, so that equal rows have equal bytes. */
static void load_features(const Scanning *s, int x, int y, float *row)
{
    float *planes[COF_MAX_BANDS];
    for (int band = 0; band < cofi_bands(s->image); band++)
        planes[band] = row + band;
    cofi_features_row(&s->colour, s->image, x, y, 1, planes);
    for (int band = 0; band < cofi_bands(s->image); band++)
        row[band] += 0.0f;
}

static void widen_range(Scanning *s, int i, int x, int y, int n)
{
    uint8_t votes[BLOCK];
    float values[BLOCK];
    cofi_seen_row(s->image, x, y, n, votes);
    cofi_load_row(s->image, 0, x, y, n, values);
    for (int j = 0; j < n; j++) {
        double value = (double)values[j];
        if (votes[j] && value < s->smallest[i])
            s->smallest[i] = value;
        if (votes[j] && value > s->largest[i])
            s->largest[i] = value;
    }
}

static void count_seen_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    Scanning *s = context;
    uint8_t votes[BLOCK];
    for (int i = first; i < last; i++) {
        int y = s->seen.y + i;
        s->smallest[i] = INFINITY;
        s->largest[i] = -INFINITY;
        for (int x = s->seen.x; x < s->seen.x + s->seen.width; x += BLOCK) {
            int left = s->seen.x + s->seen.width - x, n = left < BLOCK ? left : BLOCK;
            if (s->wants_range)
                widen_range(s, i, x, y, n);
            cofi_votes_row(s->where, s->image, x, y, n, votes);
            for (int j = 0; j < n; j++)
                s->pixels[i] += votes[j];
        }
    }
}

static bool on_grid(const Scanning *s, int x, int y)
{
    return (s->image->x + x) % s->step == 0 && (s->image->y + y) % s->step == 0;
}

/* Every seen pixel of a row: to the samples if on the grid, else perhaps to the reserve. */
static void sample_row(Scanning *s, int y, bool with_reserve, const uint8_t *votes)
{
    float row[COF_MAX_BANDS];
    int bands = cofi_bands(s->image);
    size_t room = cofi_reserve_room(s->stats);
    for (int x = s->seen.x; x < s->seen.x + s->seen.width; x++) {
        if (!votes[x - s->seen.x])
            continue;
        if (on_grid(s, x, y)) {
            load_features(s, x, y, s->found.rows + s->found.n++ * (size_t)bands);
        } else if (with_reserve) {
            uint64_t hash = cofi_place_hash(s->image->x + x, s->image->y + y);
            if (s->reserve.n == room && hash > s->reserve.hashes[room - 1])
                continue;
            load_features(s, x, y, row);
            reserve_insert(&s->reserve, room, bands, hash, row);
        }
    }
}

static void sample_rows(Scanning *s, uint8_t *votes)
{
    bool with_reserve = cofi_may_have_gaps(s->image) && s->step > 1;
    for (int y = s->seen.y; y < s->seen.y + s->seen.height; y++) {
        if (!with_reserve && (s->image->y + y) % s->step != 0)
            continue;
        cofi_seen_row(s->image, s->seen.x, y, s->seen.width, votes);
        sample_row(s, y, with_reserve, votes);
    }
}

static CofStatus gather_samples(Scanning *s)
{
    if (!s->wants_samples)
        return COF_OK;
    int bands = cofi_bands(s->image);
    size_t most = ((size_t)s->seen.width / (size_t)s->step + 1) *
                  ((size_t)s->seen.height / (size_t)s->step + 1);
    uint8_t *votes = cofi_run_take(s->run, (size_t)s->seen.width, sizeof *votes);
    if (!votes || samples_make_room(&s->found, most, bands) != COF_OK ||
        reserve_make_room(&s->reserve, cofi_reserve_room(s->stats), bands) != COF_OK)
        return COF_ERR_MEMORY;
    sample_rows(s, votes);
    return COF_OK;
}

static CofStatus scan_pixels(Scanning *s)
{
    size_t rows = (size_t)s->seen.height;
    s->smallest = cofi_run_take(s->run, rows, sizeof *s->smallest);
    s->largest = cofi_run_take(s->run, rows, sizeof *s->largest);
    s->pixels = cofi_run_take(s->run, rows, sizeof *s->pixels);
    if (!s->smallest || !s->largest || !s->pixels)
        return COF_ERR_MEMORY;
    return cofi_run_rows(s->run, s->seen.height, 1, count_seen_rows, s);
}

/* One scan's findings as a CofiScan, joined to the stats like any other. */
static CofStatus commit(Scanning *s)
{
    CofiScan scan = {.known = true,
                     .family = cofi_family(s->image->kind),
                     .sample = s->image->sample,
                     .bands = cofi_bands(s->image),
                     .smallest = INFINITY,
                     .largest = -INFINITY,
                     .samples = s->found,
                     .reserve = s->reserve};
    for (int i = 0; i < s->seen.height; i++) {
        scan.pixels += s->pixels[i];
        scan.smallest = fmin(scan.smallest, s->smallest[i]);
        scan.largest = fmax(scan.largest, s->largest[i]);
    }
    scan.ranged = scan.smallest <= scan.largest;
    scan.smallest += 0.0; /* no -0 */
    scan.largest += 0.0;
    return cofi_scan_merge(s->stats, &scan);
}

CofStatus cofi_scan_image(CofStats *stats, CofiRun *run, const CofImage *image,
                          const CofiWhere *where)
{
    const CofiLearning *learning = &stats->learning;
    bool grey = image->kind == COF_GREY || image->kind == COF_GREY_ALPHA;
    Scanning s = {.stats = stats, .run = run, .image = image, .where = where};
    s.wants_samples = !grey;
    s.wants_range = grey;
    s.step = grid_step(image, learning->colours);
    s.seen = cofi_rect_intersect(where->part, cofi_view_rect(image));
    s.seen.x -= image->x;
    s.seen.y -= image->y;
    double pixels = (double)s.seen.width * s.seen.height / s.step / s.step;
    CofStatus status = cofi_colour_init(&s.colour, run, image->sample, pixels);
    if (status == COF_OK)
        status = scan_pixels(&s);
    if (status == COF_OK)
        status = gather_samples(&s);
    if (status == COF_OK)
        status = commit(&s);
    cofi_free(s.found.rows);
    cofi_free(s.reserve.hashes);
    cofi_free(s.reserve.rows);
    return status;
}

static bool alike(const CofiScan *a, const CofiScan *b)
{
    return a->family == b->family && a->bands == b->bands &&
           (a->family == COF_RGB || a->sample == b->sample);
}

static CofStatus make_room_for(CofStats *into, const CofiScan *from)
{
    CofStatus status = samples_make_room(&into->scan.samples, from->samples.n, from->bands);
    if (status == COF_OK && from->reserve.n > 0)
        status = reserve_make_room(&into->scan.reserve, cofi_reserve_room(into), from->bands);
    return status;
}

CofStatus cofi_scan_merge(CofStats *into, const CofiScan *from)
{
    CofiScan *scan = &into->scan;
    if (!from->known)
        return COF_OK;
    if (scan->known && !alike(scan, from))
        return COF_ERR_MISMATCH;
    if (make_room_for(into, from) != COF_OK)
        return COF_ERR_MEMORY;
    size_t bands = (size_t)from->bands;
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
    if (from->samples.n > 0)
        memcpy(scan->samples.rows + scan->samples.n * bands, from->samples.rows,
               from->samples.n * bands * sizeof *from->samples.rows);
    scan->samples.n += from->samples.n;
    for (size_t i = 0; i < from->reserve.n; i++)
        reserve_insert(&scan->reserve, cofi_reserve_room(into), from->bands,
                       from->reserve.hashes[i], from->reserve.rows + i * bands);
    return COF_OK;
}

void cofi_scan_free(CofiScan *scan)
{
    cofi_free(scan->samples.rows);
    cofi_free(scan->reserve.hashes);
    cofi_free(scan->reserve.rows);
    *scan = (CofiScan){0};
}

int cofi_sampling_rate(const CofStats *stats)
{
    int rate = 0;
    if (stats->learning.sampling == COF_SAMPLING_AUTO)
        while (stats->scan.pixels > MOST_FIRSTS << rate)
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

/* The samples to cluster: the grid's, helped by the reserve where they are too few, thinned evenly
 * where many images have brought too many. Taken from the run's scratch. */
static CofStatus choose_samples(const CofStats *stats, CofiRun *run, float **rows, size_t *n)
{
    const CofiScan *scan = &stats->scan;
    size_t width = (size_t)scan->bands, enough = cofi_reserve_room(stats);
    size_t more = scan->samples.n < enough ? enough - scan->samples.n : 0;
    if (more > scan->reserve.n)
        more = scan->reserve.n;
    size_t total = scan->samples.n + more;
    *rows = cofi_run_take(run, total, width * sizeof **rows);
    if (!*rows)
        return COF_ERR_MEMORY;
    if (scan->samples.n > 0)
        memcpy(*rows, scan->samples.rows, scan->samples.n * width * sizeof **rows);
    if (more > 0)
        memcpy(*rows + scan->samples.n * width, scan->reserve.rows, more * width * sizeof **rows);
    *n = total;
    if (total <= MOST_SAMPLES)
        return COF_OK;
    CofStatus status = cofi_sort_rows(*rows, total, scan->bands);
    size_t stride = (total + MOST_SAMPLES - 1) / MOST_SAMPLES;
    *n = 0;
    for (size_t i = 0; i < total; i += stride)
        memmove(*rows + (*n)++ * width, *rows + i * width, width * sizeof **rows);
    return status;
}

CofStatus cofi_scan_settle(CofStats *stats, CofiRun *run)
{
    const CofiScan *scan = &stats->scan;
    CofiPalette palette;
    CofStatus status;
    if (scan->family == COF_GREY && scan->known) {
        status = scan->ranged ? settle_grey(stats, &palette) : COF_ERR_EMPTY;
    } else {
        float *rows;
        size_t n;
        status = choose_samples(stats, run, &rows, &n);
        if (status == COF_OK)
            status = n == 0 ? COF_ERR_EMPTY
                            : cofi_palette_cluster(&palette, run, scan->family, scan->sample,
                                                   scan->bands, rows, n, stats->learning.colours,
                                                   stats->learning.seed);
    }
    if (status != COF_OK)
        return status;
    status = cofi_stats_settle_with(stats, &palette);
    if (status != COF_OK) {
        cofi_palette_free(&palette);
        return status;
    }
    stats->rate = cofi_sampling_rate(stats);
    cofi_scan_free(&stats->scan);
    return COF_OK;
}
