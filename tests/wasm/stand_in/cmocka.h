/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for cmocka, which needs setjmp(), in the tests that run as WebAssembly: the part of its
 * interface that they use. The first failure ends the program. */
#ifndef CMOCKA_H
#define CMOCKA_H

#include <stdint.h>
#include <string.h>

typedef void CMUnitTestFunction(void **state);
typedef int CMFixtureFunction(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction *test;
    CMFixtureFunction *setup, *teardown;
    void *initial_state;
};

#define cmocka_unit_test(f) cmocka_unit_test_setup_teardown(f, NULL, NULL)
#define cmocka_unit_test_teardown(f, teardown) cmocka_unit_test_setup_teardown(f, NULL, teardown)
#define cmocka_unit_test_setup_teardown(f, setup, teardown) \
    { \
#f, f, setup, teardown, NULL \
    }
#define cmocka_unit_test_prestate(f, state) \
    { \
#f, f, NULL, NULL, state \
    }

/* Runs the tests of a group that match the filter; returns 0, or does not return. */
int run_tests(const char *name, const struct CMUnitTest *tests, size_t n, CMFixtureFunction *setup,
              CMFixtureFunction *teardown);
void cmocka_set_test_filter(const char *pattern);

#define cmocka_run_group_tests(tests, setup, teardown) \
    cmocka_run_group_tests_name(#tests, tests, setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    run_tests(name, tests, sizeof(tests) / sizeof(tests)[0], setup, teardown)

__attribute__((format(printf, 1, 2))) void print_message(const char *format, ...);
_Noreturn __attribute__((format(printf, 3, 4))) void fail_at(const char *file, int line,
                                                             const char *format, ...);
void compare_integers(uint64_t a, uint64_t b, const char *file, int line);
void compare_strings(const char *a, const char *b, const char *file, int line);

/* A function, since compilers warn of comparisons with 0. */
static inline int is_in_range(uint64_t value, uint64_t low, uint64_t high)
{
    return value >= low && value <= high;
}

#define fail_msg(...) fail_at(__FILE__, __LINE__, __VA_ARGS__)
#define fail() fail_msg("failed")
/* For the function of a test itself. */
#define skip() return print_message("skipped\n")

#define require(truth, text) ((truth) ? (void)0 : fail_msg("%s", text))

#define assert_true(truth) require(truth, #truth)
#define assert_false(truth) require(!(truth), "not " #truth)
#define assert_null(p) require((p) == NULL, #p " is not NULL")
#define assert_non_null(p) require((p) != NULL, #p " is NULL")
#define assert_ptr_equal(a, b) require((a) == (b), #a " is not " #b)
#define assert_int_equal(a, b) compare_integers((uint64_t)(a), (uint64_t)(b), __FILE__, __LINE__)
#define assert_in_range(value, low, high) \
    require(is_in_range((uint64_t)(value), (uint64_t)(low), (uint64_t)(high)), \
            #value " is out of range")
#define assert_memory_equal(a, b, size) require(memcmp(a, b, size) == 0, #a " differs from " #b)
#define assert_string_equal(a, b) compare_strings(a, b, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) require(strcmp(a, b) != 0, #a " equals " #b)

#endif
