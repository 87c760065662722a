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

/* Which chunks stay the same. */
static void find_far_chunks(const double *old, const double *shrunk, int n, uint8_t *far)
{
    for (int first = 0; first < n; first += COFI_SHRINK_CHUNK) {
        int count = n - first < COFI_SHRINK_CHUNK ? n - first : COFI_SHRINK_CHUNK;
        far[first / COFI_SHRINK_CHUNK] =
            memcmp(old + first, shrunk + first, (size_t)count * sizeof *old) == 0;
    }
}

static void check_shrink(const Level *level, Random *random, const NearestInput *p)
{
    size_t bytes = (size_t)p->n * sizeof(double);
    const float *const *planes = (const float *const *)p->planes;
    CofiShrink *shrink = level->kernels.shrink;
    double *old = fenced(bytes), *shrunk = fenced(bytes), *want = fenced(bytes);
    uint8_t *far = fenced((size_t)p->n / COFI_SHRINK_CHUNK + 1);
    fill_distances(random, p->n, old);
    const float *centre = p->centres + (p->k - 1) * p->bands;
    double sum = cofi_shrink_c(planes, p->bands, p->n, centre, NULL, old, want);
    find_far_chunks(old, want, p->n, far);
    double alone = shrink(planes, p->bands, p->n, centre, NULL, old, NULL);
    double partly = shrink(planes, p->bands, p->n, centre, far, old, NULL);
    double other = shrink(planes, p->bands, p->n, centre, far, old, shrunk);
    double in_place = shrink(planes, p->bands, p->n, centre, far, old, old);
    expect(memcmp(&alone, &sum, sizeof sum) == 0, "shrink's sum alone is not what C gives");
    expect(memcmp(&partly, &sum, sizeof sum) == 0,
           "shrink's sum without far chunks is not the same");
    expect(memcmp(&other, &sum, sizeof sum) == 0, "shrink's sum is not what C gives");
    expect(memcmp(&in_place, &sum, sizeof sum) == 0, "shrink's sum in place is not what C gives");
    expect(memcmp(shrunk, want, bytes) == 0, "shrunk distances are not what C gives");
    expect(memcmp(old, want, bytes) == 0, "distances shrunk in place are not what C gives");
    expect(untouched(shrunk, bytes) && untouched(old, bytes), "shrink writes outside");
    double naive = 0;
    for (int i = 0; i < p->n; i++)
        naive += want[i];
    expect(!(naive < 1e300) || fabs(naive - sum) <= 1e-12 * naive, "shrink's sum is wrong");
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
