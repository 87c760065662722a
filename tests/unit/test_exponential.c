/* SPDX-License-Identifier: BSD-2-Clause */
/* The exponential function of the library: its accuracy, its limits, and its bits, which are the
 * same on every machine. */
#include <math.h>
#include <string.h>

#include "base/exponential.h"
#include "testing.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* One unit in the last place at most, and one more for exp() itself. */
static void is_accurate(void **state)
{
    (void)state;
    Random random = {3};
    for (int i = 0; i < 100000; i++) {
        double size = i % 3 == 0 ? 700 : i % 3 == 1 ? 5 : 0.01;
        double x = size * (2 * random_uniform(&random) - 1), want = exp(x);
        double unit = nextafter(want, INFINITY) - want;
        if (fabs(cofi_exp(x) - want) > 2 * unit)
            fail_msg("exp(%.17g) is %.17g, expected %.17g", x, cofi_exp(x), want);
    }
}

static void has_limits(void **state)
{
    (void)state;
    assert_true(cofi_exp(0) == 1);
    assert_true(cofi_exp(-708) == 0);
    assert_true(cofi_exp(-1e300) == 0);
    assert_true(cofi_exp(-INFINITY) == 0);
    assert_true(cofi_exp(-707.99) > 0);
    assert_true(isfinite(cofi_exp(709)));
    assert_true(isinf(cofi_exp(710)));
    assert_true(isnan(cofi_exp(NAN)));
}

static void has_the_same_bits_everywhere(void **state)
{
    (void)state;
    Random random = {4};
    uint64_t hash = 0;
    for (int i = 0; i < 100000; i++)
        hash = 31 * hash + bits_of(cofi_exp(-40 * random_uniform(&random)));
    if (hash != 0x8cfec6de85e420beu)
        fail_msg("the results of 100000 numbers have the hash %016llx", (unsigned long long)hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_accurate),
        cmocka_unit_test(has_limits),
        cmocka_unit_test(has_the_same_bits_everywhere),
    };
    return cmocka_run_group_tests_name("exponential", tests, NULL, NULL);
}
