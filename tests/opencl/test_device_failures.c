/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices that fail: at each call of each function of OpenCL, a call of libcof succeeds on the CPU,
 * or fails with a clear status and leaves its output as it was. The program runs itself again with
 * failing_opencl.c as libOpenCL. */
#define _GNU_SOURCE /* dladdr() */
#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing.h"

#include "failing_opencl.h"

enum { WIDTH = 61, HEIGHT = 43 };

static FailingOpenCl *failing;
static TestImage in, host, out, before;
static char cache[300];

static CofStatus open_context(CofContext **context, CofProblem *problem)
{
    return cof_context_new_device(context, NULL, 1, problem);
}

static int prepare(void **state)
{
    (void)state;
    Random random = {1};
    CofOptions options;
    cof_options_init(&options);
    options.iterations = 2;
    in = test_image_new(&random, LAYOUT_PACKED, WIDTH, HEIGHT, 3, COF_KIND_RGB, COF_SAMPLE_U8);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        test_image_set(&in, i / 3 % WIDTH, i / 3 / WIDTH, i % 3, random_int(&random, 0, 255));
    host = test_image_like(&in);
    out = test_image_like(&in);
    before = test_image_like(&in);
    test_image_copy(&before, &out);
    return cof_smooth(&in.view, &host.view, &options) != COF_OK;
}

static bool is_close(const TestImage *a, const TestImage *b)
{
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        double d = test_image_get(a, i / 3 % WIDTH, i / 3 / WIDTH, i % 3) -
                   test_image_get(b, i / 3 % WIDTH, i / 3 / WIDTH, i % 3);
        if (d > 1 || d < -1)
            return false;
    }
    return true;
}

static void fail_at(const char *function, int call, ClInt error)
{
    failing->function = function;
    failing->call = call;
    failing->error = error;
    failing->has_failed = 0;
}

/* One call of the library that fails somewhere; false if nothing was left to fail. */
static bool smooth_once(CofContext *context, const char *function, int call, ClInt error)
{
    CofProblem problem;
    CofOptions options;
    CofReport report = {.struct_size = sizeof report};
    cof_options_init(&options);
    options.context = context;
    options.iterations = 2;
    options.problem = &problem;
    options.report = &report;
    test_image_copy(&out, &before);
    fail_at(function, call, error);
    CofStatus status = cof_smooth(&in.view, &out.view, &options);
    bool has_failed = failing->has_failed;
    fail_at(NULL, 0, 0);
    if (status == COF_OK) {
        assert_true(is_close(&out, &host));
    } else {
        assert_true(has_failed && problem.text);
        assert_status(status, COF_ERR_UNSUPPORTED);
        assert_true(strstr(problem.text, "device"));
        assert_true(test_image_equal(&out, &before));
    }
    return has_failed;
}

static void calls_fail_cleanly(void **state)
{
    (void)state;
    static const char *const functions[] = {"clCreateBuffer",
                                            "clEnqueueWriteBuffer",
                                            "clEnqueueReadBuffer",
                                            "clEnqueueMapBuffer",
                                            "clEnqueueUnmapMemObject",
                                            "clEnqueueNDRangeKernel",
                                            "clEnqueueFillBuffer",
                                            "clEnqueueWriteBufferRect",
                                            "clSetKernelArg",
                                            "clFinish",
                                            "clFlush"};
    static const ClInt errors[] = {CLI_MEM_OBJECT_ALLOCATION_FAILURE, CLI_OUT_OF_RESOURCES};
    CofContext *context;
    int failures = 0;
    assert_ok(open_context(&context, NULL));
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        for (int error = 0; error < 2; error++)
            for (int call = 1; smooth_once(context, functions[i], call, errors[error]);
                 call += 1 + call / 20)
                failures++;
    assert_true(failures > 60);
    assert_false(smooth_once(context, NULL, 0, 0));
    cof_context_free(&context);
}

/* Several palettes, residuals, refinement and two scales: some of their kernels and copies fail. */
static void other_calls_fail_cleanly(void **state)
{
    (void)state;
    static const char *const functions[] = {"clEnqueueNDRangeKernel", "clEnqueueWriteBuffer"};
    for (int i = 0; i < 4; i++) {
        bool has_failed = true;
        for (int call = 1; has_failed; call += 1 + call / 3) {
            CofProblem problem;
            CofOptions options;
            cof_options_init(&options);
            options.palettes = 2;
            options.iterations = 2;
            options.fidelity = 1;
            options.detail = 0.5;
            options.filter_downscale = 1 + i % 2;
            options.refine = 2;
            options.problem = &problem;
            assert_ok(open_context(&options.context, NULL));
            test_image_copy(&out, &before);
            fail_at(functions[i / 2], call, CLI_OUT_OF_RESOURCES);
            CofStatus status = cof_smooth(&in.view, &out.view, &options);
            has_failed = failing->has_failed;
            fail_at(NULL, 0, 0);
            cof_context_free(&options.context);
            assert_status(status, has_failed ? COF_ERR_UNSUPPORTED : COF_OK);
            assert_int_equal(test_image_equal(&out, &before), has_failed);
        }
    }
}

/* The memory of the device is not sufficient: the CPU does it, and the report says so. */
static void without_memory_the_cpu_filters(void **state)
{
    (void)state;
    CofOptions options;
    CofReport report = {.struct_size = sizeof report};
    cof_options_init(&options);
    options.report = &report;
    options.iterations = 2;
    assert_ok(open_context(&options.context, NULL));
    fail_at("clCreateBuffer", 3, CLI_MEM_OBJECT_ALLOCATION_FAILURE);
    assert_ok(cof_smooth(&in.view, &out.view, &options));
    assert_true(test_image_equal(&out, &host));
    assert_string_equal(report.device_note, "the memory of the device is not sufficient");
    assert_int_equal(report.device_stages, 1u << COF_STAGE_COUNT);
    cof_context_free(&options.context);
}

static void devices_that_cannot_be_opened(void **state)
{
    (void)state;
    static const struct {
        const char *function, *text;
        int call;
    } cases[] = {
        {"clGetPlatformIDs", "no OpenCL driver offers a device", 1},
        {"clGetDeviceIDs", "no OpenCL driver offers a device", 1},
        {"clCreateContext", "the OpenCL device cannot be opened", 1},
        {"clCreateCommandQueue", "the OpenCL device cannot be opened", 1},
        {"clCreateKernel", "the OpenCL driver cannot compile the kernels", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CofContext *context = NULL;
        CofProblem problem;
        fail_at(cases[i].function, cases[i].call, CLI_OUT_OF_RESOURCES);
        assert_status(open_context(&context, &problem), COF_ERR_UNSUPPORTED);
        assert_string_equal(problem.text, cases[i].text);
        assert_null(context);
        fail_at(NULL, 0, 0);
    }
}

/* A device without double precision, or with little memory for work-groups. */
static void lesser_devices_filter(void **state)
{
    (void)state;
    for (int lesser = 0; lesser < 2; lesser++) {
        CofOptions options;
        CofReport report = {.struct_size = sizeof report};
        CofDeviceInfo info;
        cof_options_init(&options);
        options.report = &report;
        options.iterations = 2;
        failing->no_double = lesser == 0;
        failing->small_work_group = lesser == 1;
        assert_ok(cof_device_info(0, &info, NULL));
        assert_int_equal(info.has_double, lesser);
        assert_ok(open_context(&options.context, NULL));
        assert_ok(cof_smooth(&in.view, &out.view, &options));
        assert_true(is_close(&out, &host));
        assert_true(report.device_stages & 1u << COF_STAGE_FILTER);
        assert_int_equal(report.device_stages >> COF_STAGE_LABELS & 1, lesser);
        assert_int_equal(report.device_note != NULL, lesser == 0);
        cof_context_free(&options.context);
        failing->no_double = failing->small_work_group = 0;
    }
}

/* What is filtered in tiles, on a device with little memory. */
typedef struct TileExample {
    CofKind kind;
    CofSample sample;
    bool has_gaps, in_place;
    const char *options[4][2];
} TileExample;

static const TileExample tile_examples[] = {
    {COF_KIND_RGB, COF_SAMPLE_U8, false, false, {{"iterations", "2"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, true, true, {{"border", "mirror"}}},
    {COF_KIND_GREY, COF_SAMPLE_U16, false, true, {{"iterations", "2"}, {"border", "reflect101"}}},
    {COF_KIND_RGBA, COF_SAMPLE_U8, false, false, {{"palettes", "2"}, {"detail", "0.5"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, false, {{"fidelity", "1"}, {"update", "labels"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, false, {{"filter_downscale", "2"}, {"iterations", "2"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, false, {{"method", "fast"}, {"window", "31"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, true, true, {{"refine", "2"}, {"iterations", "2"}}},
    {COF_KIND_GREY, COF_SAMPLE_U16, false, false, {{"refine", "5"}, {"detail", "0.5"}}},
};

enum { TILED_WIDTH = 160, TILED_HEIGHT = 330, LITTLE_MEMORY = 1800000 };

static TestImage tiled_image(Random *random, const TileExample *e)
{
    int channels = kind_channels(e->kind, 1);
    TestImage image =
        test_image_new(random, LAYOUT_ANY, TILED_WIDTH, TILED_HEIGHT, channels, e->kind, e->sample);
    for (int i = 0; i < TILED_WIDTH * TILED_HEIGHT * channels; i++) {
        int at = i / channels, x = at % TILED_WIDTH, y = at / TILED_WIDTH, channel = i % channels;
        int value = (x / 13 * 40 + y / 9 * 57 + channel * 31 + random_int(random, 0, 30)) % 256;
        test_image_set(&image, x, y, channel, e->sample == COF_SAMPLE_U16 ? 257 * value : value);
    }
    if (e->has_gaps)
        test_image_add_gaps(&image, random, 0.1);
    return image;
}

/* Smooths and filters on a device with that memory; 0: all that it has. */
static void filter_with_memory(const TestImage *image, const TileExample *e, uint64_t memory,
                               TestImage results[2], CofReport *report)
{
    CofOptions options;
    CofModel *model;
    cof_options_init(&options);
    options.window = 5;
    for (int i = 0; i < 4 && e->options[i][0]; i++)
        assert_ok(cof_options_set(&options, e->options[i][0], e->options[i][1], NULL));
    failing->memory = memory;
    assert_ok(open_context(&options.context, NULL));
    failing->memory = 0;
    *report = (CofReport){.struct_size = sizeof *report};
    options.report = report;
    for (int i = 0; i < 2; i++) {
        results[i] = test_image_like(image);
        const CofImage *from = &image->view;
        if (e->in_place) {
            test_image_copy(&results[i], image);
            results[i].view.valid = image->view.valid;
            results[i].view.valid_stride = image->view.valid_stride;
            from = &results[i].view;
        }
        if (i == 0) {
            assert_ok(cof_smooth(from, &results[i].view, &options));
        } else {
            assert_ok(cof_model_learn(&model, &image->view, NULL, 1, &options));
            assert_ok(cof_filter(model, NULL, from, &results[i].view, &options));
            cof_model_free(&model);
        }
        assert_true(report->device_stages & 1u << COF_STAGE_FILTER);
        assert_null(report->device_note);
    }
    /* If the change decides when to stop, there are no tiles. */
    options.iterations = 2;
    options.tolerance = 1e-9;
    options.filter_downscale = 1;
    options.fidelity = 0;
    TestImage out_of_memory = test_image_like(image);
    assert_ok(cof_smooth(&image->view, &out_of_memory.view, &options));
    assert_int_equal(report->device_note != NULL, memory > 0);
    test_image_free(&out_of_memory);
    cof_context_free(&options.context);
}

static void little_memory_filters_in_tiles(void **state)
{
    (void)state;
    setenv("XDG_CACHE_HOME", getenv("COF_TEST_CACHE"), 1); /* the grids of other tests */
    for (size_t i = 0; i < sizeof tile_examples / sizeof tile_examples[0]; i++) {
        const TileExample *e = &tile_examples[i];
        Random random = {current_seed = 900 + i};
        TestImage image = tiled_image(&random, e), whole[2], tiled[2];
        CofReport report, of_tiles;
        filter_with_memory(&image, e, 0, whole, &report);
        filter_with_memory(&image, e, LITTLE_MEMORY, tiled, &of_tiles);
        for (int j = 0; j < 2; j++) {
            assert_true(test_image_equal(&whole[j], &tiled[j]));
            test_image_check_padding(&tiled[j]);
            whole[j].view.valid = tiled[j].view.valid = NULL;
            test_image_free(&whole[j]);
            test_image_free(&tiled[j]);
        }
        assert_int_equal(report.passes, of_tiles.passes);
        test_image_free(&image);
    }
    current_seed = 0;
}

/* The changes that tiles report are those of the whole, and progress arrives at its end. */
static int see_progress(void *user, double done)
{
    double *last = user;
    assert_true(done >= *last && done <= 1);
    *last = done;
    return 0;
}

static void tiles_report_as_the_whole(void **state)
{
    (void)state;
    Random random = {17};
    TestImage image = tiled_image(&random, &tile_examples[1]), result = test_image_like(&image);
    test_image_add_gaps(&image, &random, 0.2);
    CofReport reports[2];
    for (int i = 0; i < 2; i++) {
        double last = 0;
        CofOptions options;
        cof_options_init(&options);
        options.window = 5;
        options.palettes = 2;
        options.iterations = 3;
        options.report = &reports[i];
        options.progress = see_progress;
        options.user = &last;
        reports[i] = (CofReport){.struct_size = sizeof reports[i]};
        failing->memory = i ? LITTLE_MEMORY : 0;
        assert_ok(open_context(&options.context, NULL));
        failing->memory = 0;
        assert_ok(cof_smooth(&image.view, &result.view, &options));
        assert_true(last == 1);
        assert_null(reports[i].device_note);
        cof_context_free(&options.context);
    }
    assert_int_equal(reports[0].passes, reports[1].passes);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(reports[0].change[i] - reports[1].change[i]) <
                    1e-4 * reports[0].change[i]);
    test_image_free(&image);
    test_image_free(&result);
}

/* A device that fails at any tile leaves the output as it was. */
static void tiles_fail_cleanly(void **state)
{
    (void)state;
    Random random = {18};
    TestImage image = tiled_image(&random, &tile_examples[0]), result = test_image_like(&image),
              as_it_was = test_image_like(&image);
    test_image_copy(&as_it_was, &result);
    CofOptions options;
    CofModel *model;
    cof_options_init(&options);
    options.window = 5;
    assert_ok(cof_model_learn(&model, &image.view, NULL, 1, &options));
    bool has_failed = true;
    for (int call = 1; has_failed; call += 1 + call / 2) {
        failing->memory = LITTLE_MEMORY;
        assert_ok(open_context(&options.context, NULL));
        failing->memory = 0;
        fail_at("clEnqueueNDRangeKernel", call, CLI_OUT_OF_RESOURCES);
        CofStatus status = cof_filter(model, NULL, &image.view, &result.view, &options);
        has_failed = failing->has_failed;
        fail_at(NULL, 0, 0);
        cof_context_free(&options.context);
        assert_status(status, has_failed ? COF_ERR_UNSUPPORTED : COF_OK);
        assert_int_equal(test_image_equal(&result, &as_it_was), has_failed);
    }
    cof_model_free(&model);
    test_image_free(&image);
    test_image_free(&result);
    test_image_free(&as_it_was);
}

/* A tile for which memory does not suffice now is refined by the CPU, as the call wants it. */
static void tiles_without_memory_keep_the_strength(void **state)
{
    (void)state;
    Random random = {19};
    TestImage image = tiled_image(&random, &tile_examples[0]), result = test_image_like(&image),
              by_cpu = test_image_like(&image);
    CofOptions options;
    CofModel *model;
    cof_options_init(&options);
    options.window = 5;
    options.refine = 2;
    options.strength = 0.5;
    assert_ok(cof_model_learn(&model, &image.view, NULL, 1, &options));
    assert_ok(cof_filter(model, NULL, &image.view, &by_cpu.view, &options));
    bool has_failed = true;
    int succeeded = 0;
    for (int call = 1; has_failed; call += 1 + call / 2) {
        failing->memory = LITTLE_MEMORY;
        assert_ok(open_context(&options.context, NULL));
        failing->memory = 0;
        fail_at("clCreateBuffer", call, CLI_MEM_OBJECT_ALLOCATION_FAILURE);
        CofStatus status = cof_filter(model, NULL, &image.view, &result.view, &options);
        has_failed = failing->has_failed;
        fail_at(NULL, 0, 0);
        cof_context_free(&options.context);
        succeeded += status == COF_OK && has_failed;
        assert_true(status == COF_OK || (status == COF_ERR_UNSUPPORTED && has_failed));
        for (int i = 0; i < TILED_WIDTH * TILED_HEIGHT * 3 && status == COF_OK; i++) {
            int x = i / 3 % TILED_WIDTH, y = i / 3 / TILED_WIDTH;
            double d = test_image_get(&result, x, y, i % 3) - test_image_get(&by_cpu, x, y, i % 3);
            assert_true(fabs(d) <= 1);
        }
    }
    assert_true(succeeded > 0);
    cof_model_free(&model);
    test_image_free(&image);
    test_image_free(&result);
    test_image_free(&by_cpu);
}

/* The files of the program cache, of which there is one; false: none. */
static bool cache_file(char *path, size_t size)
{
    DIR *folder = opendir(cache);
    bool found = false;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.') {
            assert_false(found);
            found = true;
            snprintf(path, size, "%s/%s", cache, entry->d_name);
        }
    if (folder)
        closedir(folder);
    return found;
}

/* Removes what earlier runs have left. */
static void empty_cache(void)
{
    char path[600];
    DIR *folder = opendir(cache);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", cache, entry->d_name);
        if (entry->d_name[0] != '.')
            assert_int_equal(unlink(path), 0);
    }
    if (folder)
        closedir(folder);
}

static size_t file_bytes(const char *path, unsigned char *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Opens the device; returns whether it took its program from the cache. */
static bool opens_from_cache(void)
{
    CofContext *context;
    fail_at("clCreateProgramWithSource", 1, CLI_OUT_OF_RESOURCES); /* compiling fails */
    CofStatus status = open_context(&context, NULL);
    fail_at(NULL, 0, 0);
    if (status == COF_OK)
        cof_context_free(&context);
    return status == COF_OK;
}

static void compile(void)
{
    CofContext *context;
    assert_ok(open_context(&context, NULL));
    assert_false(smooth_once(context, NULL, 0, 0));
    cof_context_free(&context);
}

/* Programs are kept. Damaged files, and those of another key, are compiled again and replaced. */
static void programs_are_cached(void **state)
{
    (void)state;
    enum { MOST = 1 << 22 };
    char path[600];
    static unsigned char stored[MOST], bytes[MOST];
    empty_cache();
    assert_false(opens_from_cache());
    compile();
    assert_true(cache_file(path, sizeof path));
    assert_true(opens_from_cache());
    size_t size = file_bytes(path, stored, MOST);
    assert_in_range(size, 1000, MOST - 1);
    /* Cut off; longer; a changed byte of the header, of the key and of the program; empty. */
    for (int damage = 0; damage < 6; damage++) {
        memcpy(bytes, stored, size);
        size_t at = damage == 2 ? 9 : damage == 3 ? 100 : size - 5, length = size;
        bytes[at] ^= damage >= 2 && damage <= 4 ? 0x10 : 0;
        length = damage == 0 ? size / 2 : damage == 1 ? size + 1 : damage == 5 ? 0 : size;
        write_bytes(path, bytes, length);
        assert_false(opens_from_cache());
        compile();
        assert_true(cache_file(path, sizeof path));
        assert_true(opens_from_cache());
    }
    /* A program that the driver refuses. */
    CofContext *context;
    fail_at("clCreateProgramWithBinary", 1, CLI_OUT_OF_RESOURCES);
    assert_ok(open_context(&context, NULL));
    fail_at(NULL, 0, 0);
    cof_context_free(&context);
}

/* Runs this program again with the failing library, and with a cache of its own. */
static int run_again(char **arguments, const char *failing_library, const char *folder)
{
    Dl_info info;
    char link[600];
    const char *cache_home = getenv("XDG_CACHE_HOME");
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "clFinish") : NULL;
    if (!symbol || !dladdr(symbol, &info) || cof_device_count() == 0)
        return 77; /* skipped */
    snprintf(link, sizeof link, "%s/libOpenCL.so.1", folder);
    mkdir(folder, 0700);
    unlink(link);
    if (symlink(failing_library, link) != 0) {
        perror(link);
        return 1;
    }
    setenv("COF_TEST_OPENCL", info.dli_fname, 1);
    setenv("LD_LIBRARY_PATH", folder, 1);
    setenv("COF_TEST_CACHE", cache_home ? cache_home : folder, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    execv("/proc/self/exe", arguments);
    perror("execv");
    return 1;
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_cached),
        cmocka_unit_test(calls_fail_cleanly),
        cmocka_unit_test(other_calls_fail_cleanly),
        cmocka_unit_test(without_memory_the_cpu_filters),
        cmocka_unit_test(devices_that_cannot_be_opened),
        cmocka_unit_test(lesser_devices_filter),
        cmocka_unit_test_teardown(little_memory_filters_in_tiles, name_seed),
        cmocka_unit_test(tiles_report_as_the_whole),
        cmocka_unit_test(tiles_fail_cleanly),
        cmocka_unit_test(tiles_without_memory_keep_the_strength),
    };
    if (count != 3)
        return 2;
    if (!getenv("COF_TEST_OPENCL"))
        return run_again(arguments, arguments[1], arguments[2]);
    snprintf(cache, sizeof cache, "%.200s/cof", arguments[2]);
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    failing = library ? dlsym(library, "failing_opencl") : NULL;
    if (!failing) {
        fputs("the failing library was not loaded\n", stderr);
        return 1;
    }
    return cmocka_run_group_tests(tests, prepare, NULL);
}
