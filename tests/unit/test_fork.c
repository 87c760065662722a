/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts in the children of fork(), which do not have their threads. */
#define _DEFAULT_SOURCE /* usleep() */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testing.h"

enum { SIDE = 60, BYTES = SIDE * SIDE * 3, FORKS = 20 };

static uint8_t pixels[BYTES], expected[BYTES];

static CofImage view_of(uint8_t *bytes)
{
    return (CofImage){
        .data = bytes, .width = SIDE, .height = SIDE, .channels = 3, .kind = COF_KIND_RGB};
}

static CofStatus smooth(CofContext *context, uint8_t *out)
{
    CofOptions options;
    cof_options_init(&options);
    options.context = context;
    CofImage from = view_of(pixels), to = view_of(out);
    return cof_smooth(&from, &to, &options);
}

static int prepare(void **state)
{
    (void)state;
    Random random = {3};
    for (int i = 0; i < BYTES; i++)
        pixels[i] = (uint8_t)random_int(&random, 0, 255);
    assert_ok(smooth(NULL, expected));
    return 0;
}

/* What a child does with the context; the result is its exit status. */
typedef int Deed(CofContext *context);

static void assert_child(Deed *deed, CofContext *context)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60); /* ends a child that waits for threads it does not have */
        _exit(deed(context));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFSIGNALED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int free_it(CofContext *context)
{
    cof_context_free(&context);
    return context != NULL;
}

static int use_it(CofContext *context)
{
    static uint8_t out[BYTES];
    for (int i = 0; i < 2; i++)
        if (smooth(context, out) != COF_OK || memcmp(out, expected, BYTES) != 0)
            return 1;
    return free_it(context);
}

/* The workers of the parent fall asleep at about the time of a fork, so there are several. */
static void try_often(Deed *deed)
{
    static uint8_t out[BYTES];
    CofContext *context;
    assert_ok(cof_context_new(&context, 4, NULL));
    for (int i = 0; i < FORKS; i++) {
        assert_ok(smooth(context, out));
        assert_child(deed, context);
    }
    assert_ok(smooth(context, out));
    assert_memory_equal(out, expected, BYTES);
    cof_context_free(&context);
}

static void freed_in_a_child(void **state)
{
    (void)state;
    try_often(free_it);
}

static void used_in_a_child(void **state)
{
    (void)state;
    try_often(use_it);
}

/* A call that lasts until it is told to end. */
typedef struct Endless {
    CofContext *context;
    atomic_bool started, end;
} Endless;

static int wait_for_end(void *user, double done)
{
    Endless *endless = user;
    (void)done;
    atomic_store(&endless->started, true);
    while (!atomic_load(&endless->end))
        usleep(1000);
    return 1;
}

static void *run_endless(void *argument)
{
    static uint8_t out[BYTES];
    Endless *endless = argument;
    CofOptions options;
    cof_options_init(&options);
    options.context = endless->context;
    options.progress = wait_for_end;
    options.user = endless;
    CofImage from = view_of(pixels), to = view_of(out);
    return cof_smooth(&from, &to, &options) == COF_ERR_CANCELLED ? endless : NULL;
}

static int find_it_busy(CofContext *context)
{
    static uint8_t out[BYTES];
    return smooth(context, out) != COF_ERR_BUSY || free_it(context);
}

static void forked_during_a_call(void **state)
{
    (void)state;
    Endless endless = {.context = NULL};
    pthread_t thread;
    void *result;
    assert_ok(cof_context_new(&endless.context, 3, NULL));
    assert_int_equal(pthread_create(&thread, NULL, run_endless, &endless), 0);
    while (!atomic_load(&endless.started))
        usleep(1000);
    assert_child(free_it, endless.context);
    assert_child(find_it_busy, endless.context);
    atomic_store(&endless.end, true);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_non_null(result);
    cof_context_free(&endless.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freed_in_a_child),
        cmocka_unit_test(used_in_a_child),
        cmocka_unit_test(forked_during_a_call),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
