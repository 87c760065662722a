/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples sorted with threads, against qsort(). */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "call/call.h"
#include "learn/sort_samples.h"
#include "testing.h"

enum { BANDS = 3 };

static int compare(const void *a, const void *b)
{
    const float *one = a, *other = b;
    for (int i = 0; i < BANDS; i++)
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
    return 0;
}

typedef enum Values { SPREAD, FEW, EQUAL, EXTREME, NARROW } Values;

static float value_of(Random *random, Values values)
{
    float uniform = (float)random_uniform(random);
    switch (values) {
    case SPREAD:
        return 200 * uniform - 100;
    case FEW:
        return (float)random_int(random, -3, 3);
    case EQUAL:
        return 7;
    case EXTREME:
        return random_chance(random, 0.5) ? FLT_MAX * uniform : -FLT_MAX * uniform;
    default:
        return random_chance(random, 0.9) ? 1 + FLT_EPSILON * (float)random_int(random, 0, 9)
                                          : 1000 * uniform;
    }
}

static void samples_are_sorted(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 129, 4096, 4097, 8193, 30001};
    Random random = {4};
    for (int threads = 1; threads <= 5; threads += 2)
        for (int i = 0; i < 7; i++)
            for (Values values = SPREAD; values <= NARROW; values++) {
                size_t n = sizes[i], bytes = n * BANDS * sizeof(float);
                float *rows = malloc(bytes), *sorted = malloc(bytes), *expected = malloc(bytes);
                assert_true(rows && sorted && expected);
                for (size_t j = 0; j < n * BANDS; j++)
                    rows[j] = value_of(&random, values);
                memcpy(expected, rows, bytes);
                qsort(expected, n, BANDS * sizeof(float), compare);
                CofiCall call;
                CofOptions options;
                cof_options_init(&options);
                options.threads = threads;
                assert_ok(cofi_call_begin(&call, &options));
                assert_ok(cofi_sort_samples(&call, rows, n, BANDS, sorted));
                assert_ok(cofi_call_end(&call, COF_OK));
                assert_memory_equal(sorted, expected, bytes);
                free(rows);
                free(sorted);
                free(expected);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_sorted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
