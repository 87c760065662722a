/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers shared by the tests. */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t random_bits(Random *random)
{
    /* xorshift64*, seeded away from 0 */
    uint64_t x = random->state + 0x2545f4914f6cdd1du * (random->state == 0);
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * 0x2545f4914f6cdd1du;
}

int random_int(Random *random, int min, int max)
{
    return min + (int)(random_bits(random) >> 33) % (max - min + 1);
}

double random_uniform(Random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

double random_normal(Random *random)
{
    double u = 1 - random_uniform(random), v = random_uniform(random);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

bool random_chance(Random *random, double probability)
{
    return random_uniform(random) < probability;
}

int kind_channels(CofKind kind, int bands)
{
    return kind == COF_KIND_BANDS ? bands : (int)kind + 1;
}

static int sample_size(CofSample sample)
{
    return sample == COF_SAMPLE_U8 ? 1 : sample == COF_SAMPLE_U16 ? 2 : 4;
}

#define GUARD 0xa5
#define ROOM 64

static void choose_layout(CofImage *view, Random *random, Layout layout)
{
    int size = sample_size(view->sample), width = view->width, height = view->height;
    bool any = layout == LAYOUT_ANY;
    bool planar = any && random_chance(random, 0.3);
    int gap = any && random_chance(random, 0.3) ? random_int(random, 1, 3) : 0;
    int pad = any && random_chance(random, 0.5) ? random_int(random, 1, 9) : 0;
    if (planar) {
        view->pixel_stride = size + gap;
        view->row_stride = width * view->pixel_stride + pad;
        view->channel_stride = height * view->row_stride + pad;
    } else {
        view->channel_stride = size;
        view->pixel_stride = view->channels * size + gap;
        view->row_stride = width * view->pixel_stride + pad;
    }
}

/* Reverses a direction: the view covers the same pixels of the block in opposite order. */
static void turn(TestImage *image, ptrdiff_t *stride, int n)
{
    image->view.data = (unsigned char *)image->view.data + *stride * (n - 1);
    *stride = -*stride;
}

TestImage test_image_new(Random *random, Layout layout, int width, int height, int channels,
                         CofKind kind, CofSample sample)
{
    TestImage p = {.view = {.width = width,
                            .height = height,
                            .channels = channels,
                            .kind = kind,
                            .sample = sample}};
    choose_layout(&p.view, random, layout);
    int shift = layout == LAYOUT_ANY ? random_int(random, 0, 3) : 0;
    size_t plane = (size_t)p.view.channel_stride * (size_t)channels;
    size_t rows = (size_t)p.view.row_stride * (size_t)height;
    p.block_size = plane + rows + 2 * ROOM;
    p.block = malloc(p.block_size);
    assert_non_null(p.block);
    memset(p.block, GUARD, p.block_size);
    p.view.data = p.block + ROOM + shift;
    if (layout == LAYOUT_ANY) {
        if (random_chance(random, 0.3))
            turn(&p, &p.view.row_stride, height);
        if (random_chance(random, 0.2))
            turn(&p, &p.view.pixel_stride, width);
        if (random_chance(random, 0.2))
            turn(&p, &p.view.channel_stride, channels);
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++)
                test_image_set(&p, x, y, c, 0);
    return p;
}

TestImage test_image_like(const TestImage *image)
{
    Random random = {99};
    const CofImage *view = &image->view;
    return test_image_new(&random, LAYOUT_ANY, view->width, view->height, view->channels,
                          view->kind, view->sample);
}

void test_image_free(TestImage *image)
{
    free(image->block);
    free(image->valid);
    *image = (TestImage){0};
}

static unsigned char *sample_at(const TestImage *image, int x, int y, int channel)
{
    const CofImage *v = &image->view;
    return (unsigned char *)v->data + y * v->row_stride + x * v->pixel_stride +
           channel * v->channel_stride;
}

double test_image_get(const TestImage *image, int x, int y, int channel)
{
    uint32_t bits = test_image_bits(image, x, y, channel);
    if (image->view.sample != COF_SAMPLE_F32)
        return bits;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

void test_image_set(TestImage *image, int x, int y, int channel, double value)
{
    unsigned char *p = sample_at(image, x, y, channel);
    if (image->view.sample == COF_SAMPLE_F32) {
        float sample = (float)value;
        memcpy(p, &sample, sizeof sample);
        return;
    }
    double largest = image->view.sample == COF_SAMPLE_U8 ? 255 : 65535;
    uint16_t sample = (uint16_t)(value < 0 ? 0 : value > largest ? largest : floor(value + 0.5));
    if (image->view.sample == COF_SAMPLE_U8)
        *p = (unsigned char)sample;
    else
        memcpy(p, &sample, sizeof sample);
}

uint32_t test_image_bits(const TestImage *image, int x, int y, int channel)
{
    const unsigned char *p = sample_at(image, x, y, channel);
    uint32_t bits = 0;
    uint16_t half;
    switch (image->view.sample) {
    case COF_SAMPLE_U8:
        return *p;
    case COF_SAMPLE_U16:
        memcpy(&half, p, sizeof half);
        return half;
    default:
        memcpy(&bits, p, sizeof bits);
        return bits;
    }
}

void test_image_copy(TestImage *to, const TestImage *from)
{
    int size = sample_size(from->view.sample);
    for (int y = 0; y < from->view.height; y++)
        for (int x = 0; x < from->view.width; x++)
            for (int c = 0; c < from->view.channels; c++)
                memcpy(sample_at(to, x, y, c), sample_at(from, x, y, c), (size_t)size);
}

bool test_image_equal(const TestImage *a, const TestImage *b)
{
    for (int y = 0; y < a->view.height; y++)
        for (int x = 0; x < a->view.width; x++)
            for (int c = 0; c < a->view.channels; c++)
                if (test_image_bits(a, x, y, c) != test_image_bits(b, x, y, c))
                    return false;
    return true;
}

void test_image_check_padding(const TestImage *image)
{
    int size = sample_size(image->view.sample);
    unsigned char *copy = malloc(image->block_size);
    assert_non_null(copy);
    memcpy(copy, image->block, image->block_size);
    for (int y = 0; y < image->view.height; y++)
        for (int x = 0; x < image->view.width; x++)
            for (int c = 0; c < image->view.channels; c++)
                memset(copy + (sample_at(image, x, y, c) - image->block), GUARD, (size_t)size);
    for (size_t i = 0; i < image->block_size; i++)
        assert_int_equal(copy[i], GUARD);
    free(copy);
}

void test_image_add_gaps(TestImage *image, Random *random, double share)
{
    int width = image->view.width, height = image->view.height;
    int stride = width + random_int(random, 0, 3);
    image->valid = malloc((size_t)stride * (size_t)height);
    assert_non_null(image->valid);
    for (int i = 0; i < stride * height; i++)
        image->valid[i] = random_chance(random, share) ? 0 : (uint8_t)random_int(random, 1, 255);
    image->view.valid = image->valid;
    image->view.valid_stride = stride;
}

CofImage grey_view(uint8_t *pixels, int width, int height)
{
    return (CofImage){
        .data = pixels, .width = width, .height = height, .channels = 1, .kind = COF_KIND_GREY};
}

CofImage view_part(const CofImage *whole, CofRect rect)
{
    CofImage view = *whole;
    int size = sample_size(whole->sample);
    view.pixel_stride = whole->pixel_stride ? whole->pixel_stride : whole->channels * size;
    view.row_stride = whole->row_stride ? whole->row_stride : whole->width * view.pixel_stride;
    view.data =
        (unsigned char *)whole->data + rect.y * view.row_stride + rect.x * view.pixel_stride;
    view.width = rect.width;
    view.height = rect.height;
    view.x = rect.x;
    view.y = rect.y;
    view.full_width = whole->width;
    view.full_height = whole->height;
    view.valid_stride = whole->valid_stride ? whole->valid_stride : whole->width;
    if (whole->valid)
        view.valid = whole->valid + rect.y * view.valid_stride + rect.x;
    return view;
}

CofRect rect_with_margin(CofRect rect, int margin, const CofImage *whole)
{
    int left = rect.x - margin > 0 ? rect.x - margin : 0;
    int top = rect.y - margin > 0 ? rect.y - margin : 0;
    int right = rect.x + rect.width + margin, bottom = rect.y + rect.height + margin;
    right = right < whole->width ? right : whole->width;
    bottom = bottom < whole->height ? bottom : whole->height;
    return (CofRect){left, top, right - left, bottom - top};
}

int margin_of(const CofModel *model, const CofOptions *options)
{
    int margin = -1;
    assert_ok(cof_filter_margin(model, &margin, options));
    assert_true(margin >= 0);
    return margin;
}

uint64_t count_of(const CofStats *stats, int squared_distance, int a, int b)
{
    const int *squares;
    int distances, low = a < b ? a : b, high = a < b ? b : a, k = cof_stats_size(stats);
    const uint64_t *counts = cof_stats_counts(stats, &squares, &distances);
    for (int i = 0; i < distances && counts; i++)
        if (squares[i] == squared_distance)
            return counts[(ptrdiff_t)i * (k * (k + 1) / 2) + high * (high + 1) / 2 + low];
    return 0;
}

int trials_of(int n)
{
    const char *share = getenv("COF_TEST_SHARE");
    int most = share ? (int)(atof(share) * n / 100) : n;
    return most < 1 ? 1 : most < n ? most : n;
}

void *read_data(const char *name, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", COF_TEST_DATA, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    void *bytes = malloc((size_t)length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)length, file), length);
    fclose(file);
    ((char *)bytes)[length] = '\0';
    if (size)
        *size = (size_t)length;
    return bytes;
}

CofStatus learn_from(const CofImage *image, const CofRoi *roi, const CofOptions *options,
                     CofStats **stats)
{
    assert_ok(cof_stats_new(stats, options));
    assert_ok(cof_stats_scan(*stats, image, roi, options));
    CofStatus status = cof_stats_fit_palette(*stats, options);
    return status == COF_OK ? cof_stats_add(*stats, image, roi, options) : status;
}

void assert_same_stats(const CofStats *a, const CofStats *b)
{
    void *bytes_a = NULL, *bytes_b = NULL;
    size_t size_a, size_b;
    assert_ok(cof_stats_save(a, &bytes_a, &size_a, NULL));
    assert_ok(cof_stats_save(b, &bytes_b, &size_b, NULL));
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    cof_free(bytes_a);
    cof_free(bytes_b);
}

void assert_same_model(const CofModel *a, const CofModel *b)
{
    void *bytes_a = NULL, *bytes_b = NULL;
    size_t size_a, size_b;
    assert_ok(cof_model_save(a, &bytes_a, &size_a, NULL));
    assert_ok(cof_model_save(b, &bytes_b, &size_b, NULL));
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    cof_free(bytes_a);
    cof_free(bytes_b);
}

uint64_t current_seed;

int name_seed(void **state)
{
    (void)state;
    if (current_seed != 0)
        print_message("seed %llu failed\n", (unsigned long long)current_seed);
    current_seed = 0;
    return 0;
}
