/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in OpenCL buffers of the caller give the bytes of images of the host. */
#include <stdlib.h>
#include <string.h>

#include "device_images.h"
#include "opencl_library.h"
#include "testing.h"

static const OpenClApi *cl;
static ClDevice id;
static ClContext opencl;
static ClQueue queue;

static int open_all(void **state)
{
    (void)state;
    ClPlatform platforms[16];
    ClUint n = 0;
    ClInt error;
    cl = cofcl_library();
    if (!cl || cl->clGetPlatformIDs(16, platforms, &n))
        return 1;
    for (ClUint i = 0; i < n && !id; i++)
        if (cl->clGetDeviceIDs(platforms[i], CLI_DEVICE_TYPE_ALL, 1, &id, NULL))
            id = NULL;
    opencl = id ? cl->clCreateContext(NULL, 1, &id, NULL, NULL, &error) : NULL;
    queue = opencl ? cl->clCreateCommandQueue(opencl, id, 0, &error) : NULL;
    return !queue || cof_context_new_opencl(&device, opencl, id, 2, NULL) != COF_OK;
}

static int close_all(void **state)
{
    (void)state;
    cof_context_free(&device);
    cl->clReleaseCommandQueue(queue);
    cl->clReleaseContext(opencl);
    return 0;
}

/* A packed image of the host, and one in a buffer with `gap` bytes between rows. */
typedef struct Pair {
    TestImage host;
    CofImage buffer;
    size_t row, stride;
} Pair;

static Pair new_pair(Random *random, int width, int height, CofKind kind, CofSample sample,
                     size_t gap)
{
    Pair pair;
    TestImage any = painted(random, width, height, kind, sample);
    pair.host =
        test_image_new(random, LAYOUT_PACKED, width, height, any.view.channels, kind, sample);
    for (int i = 0; i < width * height * any.view.channels; i++) {
        int channel = i % any.view.channels, at = i / any.view.channels;
        test_image_set(&pair.host, at % width, at / width, channel,
                       test_image_get(&any, at % width, at / width, channel));
    }
    test_image_free(&any);
    size_t size = sample == COF_SAMPLE_U8 ? 1 : sample == COF_SAMPLE_U16 ? 2 : 4;
    pair.row = size * (size_t)(width * pair.host.view.channels);
    pair.stride = pair.row + gap;
    ClInt error;
    pair.buffer = pair.host.view;
    pair.buffer.memory = COF_MEMORY_OPENCL;
    pair.buffer.row_stride = (ptrdiff_t)pair.stride;
    pair.buffer.pixel_stride = pair.buffer.channel_stride = 0;
    pair.buffer.data =
        cl->clCreateBuffer(opencl, CLI_MEM_READ_WRITE, pair.stride * (size_t)height, NULL, &error);
    assert_non_null(pair.buffer.data);
    for (int y = 0; y < height; y++)
        assert_int_equal(
            cl->clEnqueueWriteBuffer(queue, pair.buffer.data, 1, (size_t)y * pair.stride, pair.row,
                                     (unsigned char *)pair.host.view.data + (size_t)y * pair.row, 0,
                                     NULL, NULL),
            0);
    return pair;
}

static void free_pair(Pair *pair)
{
    cl->clReleaseMemObject(pair->buffer.data);
    test_image_free(&pair->host);
}

static void assert_same(const Pair *pair)
{
    unsigned char *row = malloc(pair->row);
    for (int y = 0; y < pair->buffer.height; y++) {
        assert_int_equal(cl->clEnqueueReadBuffer(queue, pair->buffer.data, 1,
                                                 (size_t)y * pair->stride, pair->row, row, 0, NULL,
                                                 NULL),
                         0);
        assert_memory_equal(row, (unsigned char *)pair->host.view.data + (size_t)y * pair->row,
                            pair->row);
    }
    free(row);
}

typedef struct Example {
    CofKind kind;
    CofSample sample;
    const char *option, *value;
    size_t gap;
} Example;

static const Example examples[] = {
    {COF_KIND_RGB, COF_SAMPLE_U8, NULL, NULL, 0},
    {COF_KIND_RGB, COF_SAMPLE_U8, "method", "fast", 5},
    {COF_KIND_RGB, COF_SAMPLE_U8, "colours", "4", 7}, /* whose samples lie in some rows */
    {COF_KIND_GREY, COF_SAMPLE_U8, "iterations", "3", 3},
    {COF_KIND_RGBA, COF_SAMPLE_U8, NULL, NULL, 8},
    {COF_KIND_RGB, COF_SAMPLE_U16, NULL, NULL, 2},
    {COF_KIND_GREY, COF_SAMPLE_U16, "method", "fast", 0},
    {COF_KIND_RGB, COF_SAMPLE_F32, NULL, NULL, 4},
    {COF_KIND_RGBA, COF_SAMPLE_F32, NULL, NULL, 0},
    {COF_KIND_GREY_ALPHA, COF_SAMPLE_U16, NULL, NULL, 2},
    {COF_KIND_RGB, COF_SAMPLE_U8, "fidelity", "1", 1},
    {COF_KIND_RGB, COF_SAMPLE_U8, "palettes", "2", 0},
    {COF_KIND_RGBA, COF_SAMPLE_U8, "detail", "0.5", 0},
    {COF_KIND_RGB, COF_SAMPLE_U8, "filter_downscale", "2", 0},
    {COF_KIND_RGB, COF_SAMPLE_U8, "refine", "2", 3},
    {COF_KIND_RGBA, COF_SAMPLE_F32, "refine", "3", 0},
    {COF_KIND_BANDS, COF_SAMPLE_U8, NULL, NULL, 0}, /* left to the CPU */
};

static void buffers_are_as_images(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const Example *e = &examples[i];
        Random random = {current_seed = 500 + i};
        Pair in = new_pair(&random, 61, 47, e->kind, e->sample, e->gap),
             out = new_pair(&random, 61, 47, e->kind, e->sample, 2 * e->gap);
        CofModel *model;
        CofOptions options;
        cof_options_init(&options);
        options.context = device;
        if (e->option)
            assert_ok(cof_options_set(&options, e->option, e->value, NULL));
        assert_ok(cof_smooth(&in.host.view, &out.host.view, &options));
        assert_ok(cof_smooth(&in.buffer, &out.buffer, &options));
        assert_same(&in);
        assert_same(&out);
        assert_ok(cof_model_learn(&model, &in.host.view, NULL, 1, &options));
        assert_ok(cof_filter(model, NULL, &in.host.view, &out.host.view, &options));
        assert_ok(cof_filter(model, NULL, &in.buffer, &out.buffer, &options));
        assert_same(&out);
        /* One of both in a buffer, and in place. */
        assert_ok(cof_filter(model, NULL, &in.host.view, &out.buffer, &options));
        assert_same(&out);
        assert_ok(cof_filter(model, NULL, &in.buffer, &in.buffer, &options));
        assert_ok(cof_filter(model, NULL, &in.host.view, &in.host.view, &options));
        assert_same(&in);
        cof_model_free(&model);
        free_pair(&in);
        free_pair(&out);
    }
    current_seed = 0;
}

static void parts_are_parts(void **state)
{
    (void)state;
    Random random = {3};
    Pair in = new_pair(&random, 90, 80, COF_KIND_RGB, COF_SAMPLE_U8, 6),
         out = new_pair(&random, 30, 20, COF_KIND_RGB, COF_SAMPLE_U8, 1);
    CofImage *const views[] = {&out.host.view, &out.buffer};
    CofModel *model;
    CofOptions options;
    cof_options_init(&options);
    options.context = device;
    assert_ok(cof_model_learn(&model, &in.host.view, NULL, 1, &options));
    for (int i = 0; i < 2; i++) {
        views[i]->x = 33;
        views[i]->y = 41;
        views[i]->full_width = 90;
        views[i]->full_height = 80;
    }
    assert_ok(cof_filter(model, NULL, &in.host.view, &out.host.view, &options));
    assert_ok(cof_filter(model, NULL, &in.buffer, &out.buffer, &options));
    assert_same(&out);
    cof_model_free(&model);
    free_pair(&in);
    free_pair(&out);
}

static void assert_refused(CofStatus status, const CofProblem *problem, const char *text)
{
    assert_status(status, COF_ERR_ARGUMENT);
    if (!problem->text || !strstr(problem->text, text))
        fail_msg("the problem is: %s", problem->text ? problem->text : "none");
}

static void wrong_buffers_are_refused(void **state)
{
    (void)state;
    Random random = {8};
    Pair pair = new_pair(&random, 20, 10, COF_KIND_RGB, COF_SAMPLE_U8, 0);
    CofProblem problem = {0};
    CofOptions options;
    CofContext *context;
    CofStats *stats;
    cof_options_init(&options);
    options.problem = &problem;
    assert_refused(cof_smooth(&pair.buffer, &pair.buffer, &options), &problem,
                   "cof_context_new_opencl()");
    assert_ok(cof_context_new_device(&context, NULL, 1, NULL));
    options.context = context;
    assert_refused(cof_smooth(&pair.buffer, &pair.buffer, &options), &problem,
                   "cof_context_new_opencl()");
    cof_context_free(&context);
    options.context = device;
    CofImage wrong = pair.buffer;
    wrong.row_stride = -60;
    assert_refused(cof_smooth(&wrong, &pair.buffer, &options), &problem, "interleaved");
    wrong = pair.buffer;
    wrong.pixel_stride = 4;
    assert_refused(cof_smooth(&pair.buffer, &wrong, &options), &problem, "interleaved");
    wrong = pair.buffer;
    wrong.memory = (CofMemory)7;
    assert_refused(cof_smooth(&wrong, &pair.buffer, &options), &problem, "CofMemory");
    assert_ok(cof_stats_new(&stats, &options));
    assert_refused(cof_stats_scan(stats, &pair.buffer, NULL, &options), &problem,
                   "memory of the host");
    cof_stats_free(&stats);
    assert_status(cof_context_new_opencl(&context, NULL, id, 1, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_context_new_opencl(&context, opencl, NULL, 1, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_context_new_opencl(NULL, opencl, id, 1, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_context_new_opencl(&context, opencl, &problem, 1, NULL), COF_ERR_UNSUPPORTED);
    free_pair(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(buffers_are_as_images, name_seed),
        cmocka_unit_test(parts_are_parts),
        cmocka_unit_test(wrong_buffers_are_refused),
    };
    if (cof_device_count() == 0)
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, open_all, close_all);
}
