/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for cmocka. */
#include "cmocka.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *filter;
static const struct CMUnitTest *running;
static void *state;

void cmocka_set_test_filter(const char *pattern)
{
    filter = pattern;
}

void print_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

/* The teardown of a test may say what it was doing. */
_Noreturn void fail_at(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: %s: ", file, line, running ? running->name : "no test");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    if (running && running->teardown)
        running->teardown(&state);
    fflush(NULL);
    exit(1);
}

void compare_integers(uint64_t a, uint64_t b, const char *file, int line)
{
    if (a != b)
        fail_at(file, line, "%" PRId64 " is not %" PRId64, (int64_t)a, (int64_t)b);
}

void compare_strings(const char *a, const char *b, const char *file, int line)
{
    if (strcmp(a, b) != 0)
        fail_at(file, line, "\"%s\" is not \"%s\"", a, b);
}

static void run_one(const struct CMUnitTest *test)
{
    running = test;
    if (test->initial_state)
        state = test->initial_state;
    if (test->setup && test->setup(&state) != 0)
        fail_msg("the setup failed");
    test->test(&state);
    if (test->teardown && test->teardown(&state) != 0)
        fail_msg("the teardown failed");
    running = NULL;
    printf("ok: %s\n", test->name);
    fflush(stdout);
}

int run_tests(const char *name, const struct CMUnitTest *tests, size_t n, CMFixtureFunction *setup,
              CMFixtureFunction *teardown)
{
    printf("%s\n", name);
    state = NULL;
    if (setup && setup(&state) != 0)
        fail_msg("the setup of the group failed");
    for (size_t i = 0; i < n; i++)
        if (!filter || fnmatch(filter, tests[i].name, 0) == 0)
            run_one(&tests[i]);
    if (teardown && teardown(&state) != 0)
        fail_msg("the teardown of the group failed");
    return 0;
}
