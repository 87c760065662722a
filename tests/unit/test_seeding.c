/* SPDX-License-Identifier: BSD-2-Clause */
/* The centres of k-means++, against seeding that compares all candidates in double precision. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "call/call.h"
#include "learn/seeding.h"
#include "learn/sort_samples.h"
#include "testing.h"

enum { CHUNK = COFI_CLUSTERING_CHUNK };

static double next_uniform(uint64_t *state)
{
    uint64_t bits = cofi_mix(*state);
    *state += 0x9e3779b97f4a7c15u;
    return (double)(bits >> 11) * 0x1p-53;
}

/* The sum of the distances of chunks with one more centre, chunk by chunk, each as the kernels sum
 * it; writes the distances unless `shrunk` is NULL. */
static double shrink(const CofiClustering *c, const float *centre, const double *distances,
                     double *shrunk, double *chunks)
{
    enum { SUMS = 8 };
    double total = 0;
    for (size_t first = 0; first < c->n; first += CHUNK) {
        double sums[SUMS] = {0}, sum = 0;
        for (size_t i = first; i < first + CHUNK && i < c->n; i++) {
            double square = 0;
            for (int band = 0; band < c->bands; band++) {
                double d = (double)c->planes[band][i] - (double)centre[band];
                square += d * d;
            }
            double least = square < distances[i] ? square : distances[i];
            sums[i % SUMS] += least;
            if (shrunk)
                shrunk[i] = least;
        }
        for (int i = 0; i < SUMS; i++)
            sum += sums[i];
        chunks[first / CHUNK] = sum;
        total += sum;
    }
    return total;
}

static size_t pick(const CofiClustering *c, const double *distances, const double *chunks,
                   double left)
{
    size_t chunk = 0, last = 0;
    for (; chunk + 1 < cofi_clustering_chunks(c->n) && left >= chunks[chunk]; chunk++)
        left -= chunks[chunk];
    for (size_t i = chunk * CHUNK; i < c->n; i++) {
        last = distances[i] > 0 ? i : last;
        left -= distances[i];
        if (left < 0)
            return i;
    }
    return last;
}

static void seed_naively(const CofiClustering *c, uint64_t seed, float *centres)
{
    size_t bands = (size_t)c->bands;
    double *distances = malloc(c->n * sizeof *distances);
    size_t chunk_bytes = cofi_clustering_chunks(c->n) * sizeof(double);
    double *chunks = malloc(chunk_bytes), *tried_chunks = malloc(chunk_bytes);
    assert_true(distances && chunks && tried_chunks);
    for (size_t i = 0; i < c->n; i++)
        distances[i] = INFINITY;
    cofi_clustering_sample(c, (size_t)(next_uniform(&seed) * (double)c->n), centres);
    double total = shrink(c, centres, distances, distances, chunks);
    for (size_t index = 1; index < (size_t)c->k; index++) {
        double least = INFINITY;
        for (int candidate = 0; candidate < 2 + (int)floor(log2(c->k)); candidate++) {
            float tried[COF_MAX_BANDS];
            size_t picked = pick(c, distances, chunks, next_uniform(&seed) * total);
            cofi_clustering_sample(c, picked, tried);
            double sum = shrink(c, tried, distances, NULL, tried_chunks);
            if (candidate == 0 || sum < least) {
                least = sum;
                memcpy(centres + index * bands, tried, bands * sizeof *tried);
            }
        }
        total = shrink(c, centres + index * bands, distances, distances, chunks);
    }
    free(distances);
    free(chunks);
    free(tried_chunks);
}

typedef enum Values { SPREAD, WHOLE, TINY, HUGE_ONES, N_VALUES } Values;

static float value_of(Random *random, Values values)
{
    float uniform = (float)random_uniform(random);
    switch (values) {
    case WHOLE: /* equal samples, and equal gains */
        return (float)random_int(random, -3, 3);
    case TINY: /* squares are subnormal, or 0 */
        return 1e-20f * uniform;
    case HUGE_ONES: /* squares are infinite in single precision */
        return 1e25f * uniform;
    default:
        return 200 * uniform - 100;
    }
}

static void check_seeding(Random *random, int bands, int k, size_t n, Values values, int run)
{
    CofiCall call;
    CofOptions options;
    cof_options_init(&options);
    options.threads = 1;
    assert_ok(cofi_call_begin(&call, &options));
    size_t count = n * (size_t)bands;
    float *rows = malloc(count * sizeof *rows), *sorted = malloc(count * sizeof *sorted);
    float *centres = malloc((size_t)(k * bands) * sizeof *centres);
    assert_true(rows && sorted && centres);
    for (size_t i = 0; i < count; i++)
        rows[i] = value_of(random, values);
    assert_ok(cofi_sort_samples(&call, rows, n, bands, sorted));
    CofiClustering c = {.bands = bands, .k = k, .n = n};
    assert_ok(cofi_clustering_take(&c, &call, sorted, n));
    for (int block = 0; block < c.blocks; block++)
        cofi_clustering_fill(&c, block);
    assert_ok(cofi_seed_centres(&c, (uint64_t)run));
    seed_naively(&c, (uint64_t)run, centres);
    assert_memory_equal(c.centres, centres, (size_t)(k * bands) * sizeof *centres);
    assert_ok(cofi_call_end(&call, COF_OK));
    free(rows);
    free(sorted);
    free(centres);
}

static void centres_are_those_of_double_precision(void **state)
{
    (void)state;
    static const int bands[] = {1, 3, 4, 7}, ks[] = {2, 5, 32, 100};
    static const size_t sizes[] = {101, 128, 2048, 3001};
    Random random = {6};
    int run = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (Values values = SPREAD; values < N_VALUES; values++, run++)
                check_seeding(&random, bands[i], ks[j], sizes[run % 5 % 4], values, run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(centres_are_those_of_double_precision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
