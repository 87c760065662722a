/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers shared by the tests: random numbers, and images in every memory layout. */
#ifndef COF_TESTING_H
#define COF_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cof/cof.h"

typedef struct Random {
    uint64_t state;
} Random;

uint64_t random_bits(Random *random);
int random_int(Random *random, int min, int max); /* both included */
double random_uniform(Random *random);            /* 0 <= x < 1 */
double random_normal(Random *random);             /* mean 0, std 1 */
bool random_chance(Random *random, double probability);

/* An image with padding around its pixels that must never be written to. */
typedef struct TestImage {
    CofImage view;
    unsigned char *block;
    size_t block_size;
    uint8_t *valid; /* the view's, or NULL */
} TestImage;

typedef enum Layout { LAYOUT_PACKED, LAYOUT_ANY } Layout;

int kind_channels(CofKind kind, int bands);

/* LAYOUT_ANY: randomly padded, planar, upside down, mirrored, sliced or unaligned. */
TestImage test_image_new(Random *random, Layout layout, int width, int height, int channels,
                         CofKind kind, CofSample sample);
/* An image of the same size, kind and sample type, in some layout. */
TestImage test_image_like(const TestImage *image);
void test_image_free(TestImage *image);

double test_image_get(const TestImage *image, int x, int y, int channel);
void test_image_set(TestImage *image, int x, int y, int channel, double value);
/* The bytes of a sample, for comparing. */
uint32_t test_image_bits(const TestImage *image, int x, int y, int channel);
/* Copies all pixels; the layouts may differ. */
void test_image_copy(TestImage *to, const TestImage *from);
bool test_image_equal(const TestImage *a, const TestImage *b);
/* Fails the test if a byte that belongs to no pixel was written to. */
void test_image_check_padding(const TestImage *image);
/* Adds a mask of invalid pixels. */
void test_image_add_gaps(TestImage *image, Random *random, double share);

/* A packed view of grey bytes. */
CofImage grey_view(uint8_t *pixels, int width, int height);

/* A view of a rectangle of a whole image, with its position. */
CofImage view_part(const CofImage *whole, CofRect rect);
/* The rectangle with a margin, inside the image. */
CofRect rect_with_margin(CofRect rect, int margin, const CofImage *whole);

/* Fail with the library's status text. */
#define assert_ok(call) assert_status(call, COF_OK)
#define assert_status(call, expected) \
    do { \
        CofStatus status_ = (call); \
        if (status_ != (expected)) \
            fail_msg("%s: %s, expected: %s", #call, cof_status_string(status_), \
                     cof_status_string(expected)); \
    } while (0)

/* How many of n random trials are run: all, or the share in percent of the environment variable
 * COF_TEST_SHARE, for emulated machines; at least one. */
int trials_of(int n);

/* Reads a file of the test data whole; fails the test if it cannot. Freed with free(). */
void *read_data(const char *name, size_t *size);

/* The margin of the filter; fails the test if there is none. */
int margin_of(const CofModel *model, const CofOptions *options);

/* The count of a pair of labels at a squared distance; 0 if the window has no such distance. */
uint64_t count_of(const CofStats *stats, int squared_distance, int a, int b);

/* Scans, fits the palette and counts. *stats is set even on failure. */
CofStatus learn_from(const CofImage *image, const CofRoi *roi, const CofOptions *options,
                     CofStats **stats);
void assert_same_stats(const CofStats *a, const CofStats *b);
void assert_same_model(const CofModel *a, const CofModel *b);

/* The seed of the random configuration under test; 0: none. name_seed(), as a teardown, prints the
 * seed that failed. */
extern uint64_t current_seed;
int name_seed(void **state);

#endif
