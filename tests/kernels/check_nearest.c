/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks nearest, nearest_rows and shrink against C, and gain against double precision. */
#include "kernels_check.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cof/cof.h"

/* Where pixels and centres come from. Small whole numbers are often equally near. In smooth rows,
 * adjacent pixels are alike, so that most centres can be left out. */
typedef enum Values { PLAIN, WHOLE, EXTREME, TINY, CLOSE, SMOOTH, N_VALUES } Values;

static float value_of(Random *random, Values values)
{
    static const float extremes[] = {0,        1e15f,  -1e15f, 9.9e14f, FLT_MAX,
                                     -FLT_MAX, 1e-40f, 1,      1e19f,   -1e18f};
    uint32_t n = sizeof extremes / sizeof extremes[0];
    switch (values) {
    case WHOLE:
        return (float)random_below(random, 4);
    case EXTREME:
        return extremes[random_below(random, n)];
    case TINY: /* mostly subnormal */
        return random_between(random, -4 * FLT_MIN, 4 * FLT_MIN);
    case CLOSE: /* told apart by the last bits only */
        return 1000 + (float)random_below(random, 4) * 0x1p-14f;
    default:
        return random_between(random, -100, 100);
    }
}

typedef struct NearestInput {
    float *planes[COF_MAX_BANDS];
    float *centres;
    int bands, k, n;
} NearestInput;

static NearestInput make_input(Random *random, int bands, int k, int n, Values values)
{
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    NearestInput p = {.bands = bands, .k = k, .n = n};
    for (int band = 0; band < bands; band++) {
        p.planes[band] = guarded((size_t)n * sizeof(float), wall);
        for (int i = 0; i < n; i++)
            p.planes[band][i] = value_of(random, values);
    }
    p.centres = guarded((size_t)(k * bands) * sizeof(float), wall);
    for (int i = 0; i < k * bands; i++)
        p.centres[i] = value_of(random, values);
    /* Some centres twice; some pixels on a centre. */
    for (int label = 3; label < k; label += 5)
        memcpy(p.centres + label * bands, p.centres + label / 2 * bands,
               (size_t)bands * sizeof(float));
    for (int i = 0; i < n && values != SMOOTH; i += 3)
        for (int band = 0; band < bands; band++)
            p.planes[band][i] = p.centres[i % k * bands + band];
    for (int i = 0; i < n && values == SMOOTH; i++)
        for (int band = 0; band < bands; band++)
            p.planes[band][i] =
                p.centres[i / 40 % k * bands + band] + random_between(random, -6, 6);
    return p;
}

static void check_labels(const Level *level, const NearestInput *p)
{
    size_t n = (size_t)p->n;
    const float *const *planes = (const float *const *)p->planes;
    uint8_t *labels = fenced(n), *alone = fenced(n), *want = fenced(n);
    double *distances = fenced(n * sizeof(double)), *wanted = fenced(n * sizeof(double));
    size_t size = cofi_centres_size(p->bands, p->k);
    void *memory = fenced(size);
    const CofiCentres *centres = cofi_centres_fill(memory, p->centres, p->bands, p->k);
    level->kernels.nearest(planes, p->n, centres, labels, distances);
    level->kernels.nearest(planes, p->n, centres, alone, NULL);
    cofi_nearest_c(planes, p->n, centres, want, wanted);
    expect(memcmp(labels, want, n) == 0, "labels are not what C gives");
    expect(memcmp(alone, want, n) == 0, "labels without distances are not what C gives");
    expect(memcmp(distances, wanted, n * sizeof(double)) == 0, "distances are not what C gives");
    expect(untouched(labels, n) && untouched(alone, n) && untouched(distances, n * sizeof(double)),
           "writes outside");
    expect(untouched(memory, size), "preparing the centres writes outside");
}

/* The same pixels as some rows. Labels of two rows have a gap between them, which stays as it is.
 */
static void check_rows(const Level *level, const NearestInput *p, int rows)
{
    enum { GAP = 3, UNUSED = 0xaa };
    int stride = p->n / rows, width = stride > 2 ? stride - 1 : stride;
    size_t label_stride = (size_t)width + GAP, size = (size_t)rows * label_stride;
    uint8_t *labels = fenced(size), *want = fenced(size);
    memset(labels, UNUSED, size);
    memset(want, UNUSED, size);
    void *memory = fenced(cofi_centres_size(p->bands, p->k));
    const CofiCentres *centres = cofi_centres_fill(memory, p->centres, p->bands, p->k);
    level->kernels.nearest_rows((const float *const *)p->planes, stride, rows, width, centres,
                                labels, (ptrdiff_t)label_stride);
    for (int row = 0; row < rows; row++) {
        const float *planes[COF_MAX_BANDS];
        for (int band = 0; band < p->bands; band++)
            planes[band] = p->planes[band] + row * stride;
        cofi_nearest_c(planes, width, centres, want + (size_t)row * label_stride, NULL);
    }
    expect(memcmp(labels, want, size) == 0, "labels of rows are not what C gives");
    expect(untouched(labels, size), "rows of labels: writes outside");
}

/* Distances, some of which cannot be shrunk; those of every third chunk are all 0. */
static void fill_distances(Random *random, int n, double *distances)
{
    for (int i = 0; i < n; i++) {
        uint32_t kind = i / COFI_SHRINK_CHUNK % 3 == 1 ? 1 : random_below(random, 8);
        distances[i] = kind == 0   ? INFINITY
                       : kind == 1 ? 0
                                   : (double)random_between(random, 0, 1e4f);
    }
}

typedef struct Shrunk {
    size_t chunk_bytes, double_bytes, float_bytes;
    CofiShrunk to;
} Shrunk;

static Shrunk make_shrunk(int chunks)
{
    enum { UNUSED = 0xaa };
    Shrunk s = {.chunk_bytes = (size_t)chunks * sizeof(double)};
    s.double_bytes = s.chunk_bytes * COFI_SHRINK_CHUNK;
    s.float_bytes = s.double_bytes / 2;
    s.to = (CofiShrunk){fenced(s.chunk_bytes), fenced(s.chunk_bytes), fenced(s.double_bytes),
                        fenced(s.float_bytes)};
    memset(s.to.sums, UNUSED, s.chunk_bytes);
    memset(s.to.largest, UNUSED, s.chunk_bytes);
    memset(s.to.distances, UNUSED, s.double_bytes);
    memset(s.to.rounded, UNUSED, s.float_bytes);
    return s;
}

static bool same_shrunk(const Shrunk *a, const Shrunk *b)
{
    return memcmp(a->to.sums, b->to.sums, a->chunk_bytes) == 0 &&
           memcmp(a->to.largest, b->to.largest, a->chunk_bytes) == 0 &&
           memcmp(a->to.distances, b->to.distances, a->double_bytes) == 0 &&
           memcmp(a->to.rounded, b->to.rounded, a->float_bytes) == 0;
}

static bool shrunk_untouched(const Shrunk *s)
{
    return untouched(s->to.sums, s->chunk_bytes) && untouched(s->to.largest, s->chunk_bytes) &&
           untouched(s->to.distances, s->double_bytes) && untouched(s->to.rounded, s->float_bytes);
}

/* What the C kernel writes of a chunk, against plain sums. */
static void check_shrunk_chunk(const NearestInput *p, const float *centre, const double *old,
                               const CofiShrunk *to, int chunk)
{
    double sum = 0, largest = 0;
    for (int i = chunk * COFI_SHRINK_CHUNK; i < (chunk + 1) * COFI_SHRINK_CHUNK; i++) {
        double square = 0;
        for (int band = 0; band < p->bands; band++) {
            double d = (double)p->planes[band][i] - (double)centre[band];
            square += d * d;
        }
        double least = square < old[i] ? square : old[i];
        expect(to->distances[i] == least, "a shrunk distance is wrong");
        expect(to->rounded[i] == (float)least, "a rounded distance is wrong");
        sum += least;
        largest = least > largest ? least : largest;
    }
    expect(!(sum < 1e300) || fabs(to->sums[chunk] - sum) <= 1e-12 * sum, "shrink's sum is wrong");
    expect(to->largest[chunk] == largest, "the largest distance is wrong");
}

/* Of all chunks, and of every second one, those at the end left out that are not whole. */
static void check_shrink(const Level *level, Random *random, const NearestInput *p)
{
    int chunks = p->n / COFI_SHRINK_CHUNK;
    const float *const *planes = (const float *const *)p->planes;
    const float *centre = p->centres + (p->k - 1) * p->bands;
    for (int step = 1; step <= 2 && chunks > 0; step++) {
        Shrunk want = make_shrunk(chunks), found = make_shrunk(chunks), sums = make_shrunk(chunks);
        double *old = fenced(want.double_bytes);
        int *listed = fenced((size_t)chunks * sizeof *listed), n = 0;
        for (int chunk = 0; chunk < chunks; chunk += step)
            listed[n++] = chunk;
        fill_distances(random, chunks * COFI_SHRINK_CHUNK, old);
        cofi_shrink_c(planes, p->bands, centre, listed, n, old, &want.to);
        for (int i = 0; i < n; i++)
            check_shrunk_chunk(p, centre, old, &want.to, listed[i]);
        level->kernels.shrink(planes, p->bands, centre, listed, n, old, &found.to);
        expect(same_shrunk(&found, &want), "shrunk distances are not what C gives");
        CofiShrunk only_sums = {.sums = sums.to.sums, .largest = sums.to.largest};
        level->kernels.shrink(planes, p->bands, centre, listed, n, old, &only_sums);
        expect(memcmp(sums.to.sums, want.to.sums, want.chunk_bytes) == 0,
               "sums alone are not what C gives");
        memcpy(found.to.distances, old, want.double_bytes);
        level->kernels.shrink(planes, p->bands, centre, listed, n, found.to.distances, &found.to);
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)listed[i] * COFI_SHRINK_CHUNK;
            expect(memcmp(found.to.distances + at, want.to.distances + at,
                          COFI_SHRINK_CHUNK * sizeof *old) == 0,
                   "distances shrunk in place are not what C gives");
        }
        expect(shrunk_untouched(&found) && shrunk_untouched(&sums), "shrink writes outside");
    }
}

/* Of every second chunk, and of all, those at the end left out that are not whole. */
static void check_gain(const Level *level, Random *random, const NearestInput *p)
{
    int chunks = p->n / COFI_SHRINK_CHUNK, whole = chunks * COFI_SHRINK_CHUNK;
    const float *centre = p->centres + (p->k - 1) * p->bands;
    float *distances = guarded((size_t)whole * sizeof *distances, WALL_AFTER);
    int *listed = guarded((size_t)chunks * sizeof *listed, WALL_AFTER);
    for (int i = 0; i < whole; i++)
        distances[i] = random_below(random, 4) ? random_between(random, 0, 2e4f) : 0;
    for (int step = 1; step <= 2; step++) {
        int n = 0;
        double gain = 0, sum = 0;
        for (int chunk = 0; chunk < chunks; chunk += step)
            listed[n++] = chunk;
        for (int i = 0; i < n * COFI_SHRINK_CHUNK; i++) {
            int at = listed[i / COFI_SHRINK_CHUNK] * COFI_SHRINK_CHUNK + i % COFI_SHRINK_CHUNK;
            double square = 0;
            for (int band = 0; band < p->bands; band++) {
                double d = (double)p->planes[band][at] - (double)centre[band];
                square += d * d;
            }
            sum += (double)distances[at];
            gain += fmax((double)distances[at] - square, 0);
        }
        double found = level->kernels.gain((const float *const *)p->planes, p->bands, centre,
                                           distances, listed, n);
        expect(fabs(found - gain) <= COFI_GAIN_ERROR * sum, "the gain is wrong");
    }
}

static void check_difference(const Level *level, const NearestInput *p)
{
    const float *a = p->planes[0], *b = p->planes[p->bands - 1];
    double found = level->kernels.difference(a, b, p->n), want = cofi_difference_c(a, b, p->n);
    bool both_wrong = isnan(found) && isnan(want);
    expect(both_wrong || memcmp(&found, &want, sizeof want) == 0,
           "the difference is not what C gives");
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    expect(!isfinite(want) || fabs(want - sum) <= 1e-5 * sum + 1e-30, "is not the difference");
}

static void check_size(const Level *level, Random *random, int bands, int k, int n)
{
    for (Values values = PLAIN; values < N_VALUES; values++) {
        checking("%s nearest: n %d, %d bands, k %d, values %d", level->name, n, bands, k, values);
        NearestInput pixels = make_input(random, bands, k, n, values);
        check_labels(level, &pixels);
        for (int rows = 1; rows <= 10; rows += 3)
            check_rows(level, &pixels, rows);
        check_shrink(level, random, &pixels);
        check_gain(level, random, &pixels);
        check_difference(level, &pixels);
        release();
    }
}

void check_nearest(const Level *level)
{
    static const int ks[] = {1, 2, 31, 32, 33, 256}, bands[] = {1, 2, 3, 4, 5, 64};
    static const int large[] = {127, 128, 129, 256, 401};
    Random random = {2};
    for (int n = 0; n <= 70; n++)
        for (int few = 3; few <= 4; few++)
            check_size(level, &random, few, n % 2 ? 5 : 9, n);
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        for (int few = 3; few <= 4; few++)
            check_size(level, &random, few, 32, large[i]);
    for (int k = 33; k <= 256; k += 37)
        for (int few = 3; few <= 4; few++)
            check_size(level, &random, few, k, 300 + k);
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++)
        for (size_t j = 0; j < sizeof bands / sizeof bands[0]; j++)
            check_size(level, &random, bands[j], ks[i], 37 - (int)(i + j));
}
