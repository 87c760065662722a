/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs every public function on threads with a stack of 64 kB. It uses no test framework, so that
 * it can be linked with other C libraries. The stack has a wide guard below it, since a large frame
 * can skip a single page. */
#define _DEFAULT_SOURCE /* anonymous mmap() */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cof/cof.h"

enum {
    STACK = 64 * 1024,
    GUARD = 256 * 1024,
    PAINT = 0xb5,
    WIDTH = 34,
    HEIGHT = 26,
    PIXELS = WIDTH * HEIGHT
};

/* What the calls work on. */
typedef struct Scene {
    const char *name;
    CofKind kind;
    CofSample sample;
    int channels;
    int colours; /* also levels */
    CofImage in, out, other;
    CofImage marks, mask, labels, soft; /* grey */
} Scene;

static const char *volatile call_name = "", *volatile scene_name = "";

static _Noreturn void complain(const char *what)
{
    ssize_t written = 0;
    const char *parts[] = {call_name, " (", scene_name, "): ", what, "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        written += write(2, parts[i], strlen(parts[i]));
    _exit(written > 0 ? 1 : 2);
}

static void must(CofStatus status)
{
    if (status != COF_OK)
        complain(cof_status_string(status));
}

static void need(int truth)
{
    if (!truth)
        complain("an unexpected result");
}

static CofOptions options_of(const Scene *s)
{
    CofOptions options;
    cof_options_init(&options);
    options.threads = 1; /* everything runs on this stack */
    options.colours = s->colours;
    options.levels = s->colours;
    options.window = 7;
    options.spread_window = 7;
    options.spread_iterations = 2;
    return options;
}

static CofModel *learned(const Scene *s, const CofOptions *options)
{
    CofModel *model;
    must(cof_model_learn(&model, &s->in, NULL, 1, options));
    return model;
}

static void call_options(const Scene *s)
{
    CofOptions options = options_of(s);
    CofProblem problem;
    double value;
    must(cof_options_set_variant(&options, COF_VARIANT_AUTHORS, &problem));
    must(cof_options_set_preset(&options, COF_PRESET_TEXTURE, WIDTH, HEIGHT, &problem));
    must(cof_options_set(&options, "window", "9", &problem));
    need(cof_options_set(&options, "window", "8", &problem) == COF_ERR_OPTION);
    must(cof_options_check(&options, &problem));
    for (int i = 0; i < cof_option_count(); i++) {
        const CofOptionInfo *info = cof_option_info(i);
        need(cof_option_find(info->name) == info);
        if (!(info->flags & COF_OPTION_FLAG_NO_FIELD)) {
            must(cof_option_get(&options, info, &value));
            must(cof_option_put(&options, info, value, &problem));
        }
    }
    need(cof_version() > 0 && cof_status_string(COF_OK) && cof_stage_name(COF_STAGE_COUNT) &&
         cof_kind_name(COF_KIND_BANDS) && cof_cpu_level());
}

static void call_smooth(const Scene *s)
{
    CofOptions options = options_of(s);
    CofReport report = {.struct_size = sizeof report};
    CofRoi roi = {.region = {3, 3, 20, 20}, .mask = &s->mask};
    must(cof_smooth(&s->in, &s->out, NULL));
    options.report = &report;
    options.iterations = 2;
    options.update = COF_UPDATE_MODEL;
    options.border = COF_BORDER_MIRROR;
    must(cof_smooth_roi(&s->in, &roi, &s->out, &options));
    options.update = COF_UPDATE_LABELS;
    options.space = COF_SPACE_NATIVE;
    options.softness = 0;
    must(cof_smooth(&s->in, &s->out, &options));
}

static void call_smooth_fast(const Scene *s)
{
    CofOptions options = options_of(s);
    options.method = COF_METHOD_FAST;
    options.filter_window = 51;
    must(cof_smooth(&s->in, &s->out, &options));
    options.colours = options.levels = 12;
    must(cof_smooth(&s->in, &s->out, &options));
    options.method = COF_METHOD_EXACT;
    options.filter_window = s->channels <= 4 ? COF_MAX_FILTER_WINDOW : 65;
    must(cof_smooth(&s->in, &s->out, &options));
    options.method = COF_METHOD_AUTO;
    options.filter_window = 0;
    options.downscale = 3;
    options.iterations = 3;
    must(cof_smooth(&s->in, &s->out, &options));
}

static void call_context(const Scene *s)
{
    CofOptions options = options_of(s);
    must(cof_context_new(&options.context, 3, NULL));
    options.threads = 0;
    for (int i = 0; i < 2; i++)
        must(cof_smooth(&s->in, &s->out, &options));
    cof_context_free(&options.context);
    /* Drivers of devices need more, so there are none here. */
    CofDeviceInfo info;
    need(cof_device_count() == 0 && cof_device_info(0, &info, NULL) == COF_ERR_UNSUPPORTED);
    need(cof_context_new_device(&options.context, "gpu", 1, NULL) == COF_ERR_UNSUPPORTED);
    need(cof_context_new_opencl(&options.context, &options, &options, 1, NULL) ==
         COF_ERR_UNSUPPORTED);
}

static void call_stats(const Scene *s)
{
    CofOptions options = options_of(s);
    CofStats *stats, *other, *loaded;
    void *bytes;
    size_t size;
    CofKind kind;
    int bands, distances;
    const int *squares;
    must(cof_stats_new(&stats, &options));
    must(cof_stats_new(&other, &options));
    must(cof_stats_scan(stats, &s->in, NULL, &options));
    must(cof_stats_scan(other, &s->other, NULL, &options));
    must(cof_stats_merge(stats, other, NULL));
    cof_stats_free(&other);
    must(cof_stats_save(stats, &bytes, &size, NULL));
    must(cof_stats_load(&loaded, bytes, size, NULL));
    cof_free(bytes);
    must(cof_stats_fit_palette(loaded, &options));
    must(cof_stats_new_like(&other, loaded, NULL));
    must(cof_stats_add(other, &s->in, NULL, &options));
    must(cof_stats_merge(loaded, other, NULL));
    must(cof_stats_decay(loaded, 1, 2, NULL));
    must(cof_stats_save(loaded, &bytes, &size, NULL));
    cof_stats_free(&other);
    must(cof_stats_load(&other, bytes, size, NULL));
    cof_free(bytes);
    cof_stats_options(other, &options);
    must(cof_stats_kind(other, &kind));
    need(cof_stats_size(other) >= 1 && cof_stats_palette(other, &bands));
    need(cof_stats_histogram(other) && cof_stats_counts(other, &squares, &distances));
    need(cof_stats_sampling_shift(other) >= 0);
    need(cof_stats_palettes(other) == 1 && cof_stats_member(other, 0) == other);
    cof_stats_free(&stats);
    cof_stats_free(&other);
    cof_stats_free(&loaded);
}

static void call_palettes(const Scene *s)
{
    static const float centres[COF_MAX_COLOURS * COF_MAX_BANDS];
    CofOptions options = options_of(s);
    CofStats *stats;
    int bands = s->kind == COF_KIND_BANDS ? s->channels : s->kind < COF_KIND_RGB ? 1 : 3;
    CofKind family = s->kind == COF_KIND_BANDS ? COF_KIND_BANDS
                     : s->kind < COF_KIND_RGB  ? COF_KIND_GREY
                                               : COF_KIND_RGB;
    must(cof_stats_new(&stats, &options));
    must(cof_stats_set_palette(stats, centres, COF_MAX_COLOURS, bands, family, NULL));
    must(cof_stats_add(stats, &s->in, NULL, &options));
    cof_stats_free(&stats);
    must(cof_stats_new(&stats, &options));
    must(cof_stats_set_labels(stats, COF_MAX_COLOURS, NULL));
    must(cof_stats_add_labels(stats, &s->labels, NULL, &options));
    cof_stats_free(&stats);
}

static void call_copies(const CofStats *from, const CofModel *model, const CofOptions *options)
{
    CofStats *stats;
    must(cof_stats_new(&stats, options));
    must(cof_stats_set_palette_from_stats(stats, from, NULL));
    cof_stats_free(&stats);
    must(cof_stats_new(&stats, options));
    must(cof_stats_set_palette_from_model(stats, model, NULL));
    cof_stats_free(&stats);
}

static void call_models(const Scene *s)
{
    CofOptions options = options_of(s);
    CofStats *stats;
    CofModel *model, *second;
    CofKind kind;
    int bands;
    must(cof_stats_new(&stats, &options));
    must(cof_stats_scan(stats, &s->in, NULL, &options));
    must(cof_stats_fit_palette(stats, &options));
    must(cof_stats_add(stats, &s->in, NULL, &options));
    must(cof_model_new(&model, stats, &options));
    must(cof_model_new_matrix(&second, stats, cof_model_matrix(model), &options));
    cof_model_free(&second);
    must(cof_model_new_soft(&second, stats, &s->in, NULL, 1, &options));
    must(cof_model_kind(second, &kind));
    need(cof_model_size(second) >= 1 && cof_model_palette(second, &bands));
    need(cof_model_frequencies(second) != NULL);
    need(cof_model_palettes(second) == 1 && cof_model_member(second, 0) == second);
    cof_model_options(second, &options);
    call_copies(stats, model, &options);
    cof_model_free(&second);
    cof_model_free(&model);
    cof_stats_free(&stats);
}

static void call_smooth_several(const Scene *s)
{
    CofOptions options = options_of(s);
    options.palettes = 2;
    options.iterations = 2;
    options.separation = 0.2;
    options.update = COF_UPDATE_MODEL;
    must(cof_smooth(&s->in, &s->out, &options));
    options.update = COF_UPDATE_LABELS;
    options.downscale = 2;
    must(cof_smooth(&s->in, &s->out, &options));
    options.update = COF_UPDATE_NONE;
    options.method = COF_METHOD_FAST;
    options.filter_window = 31;
    options.colours = options.levels = 12;
    options.palettes = COF_MAX_PALETTES;
    must(cof_smooth(&s->in, &s->out, &options));
}

/* Statistics of two palettes, which are saved, loaded and merged. */
static CofStats *stats_of_two(const Scene *s, const CofOptions *options)
{
    CofStats *stats, *loaded;
    void *bytes;
    size_t size;
    must(cof_stats_new(&stats, options));
    must(cof_stats_scan(stats, &s->in, NULL, options));
    must(cof_stats_fit_palette(stats, options));
    must(cof_stats_save(stats, &bytes, &size, NULL));
    must(cof_stats_load(&loaded, bytes, size, NULL));
    cof_free(bytes);
    must(cof_stats_add(stats, &s->in, NULL, options));
    must(cof_stats_merge(loaded, stats, NULL));
    must(cof_stats_decay(loaded, 1, 2, NULL));
    cof_stats_free(&stats);
    need(cof_stats_palettes(loaded) == 2 && cof_stats_size(cof_stats_member(loaded, 1)) >= 1);
    return loaded;
}

static void call_members(const Scene *s)
{
    CofOptions options = options_of(s);
    options.palettes = 2;
    CofStats *stats = stats_of_two(s, &options);
    CofModel *model, *other;
    void *bytes;
    size_t size;
    must(cof_model_new_soft(&other, stats, &s->in, NULL, 1, &options));
    cof_model_free(&other);
    must(cof_model_new(&other, stats, &options));
    must(cof_model_save(other, &bytes, &size, NULL));
    must(cof_model_load(&model, bytes, size, NULL));
    cof_model_free(&other);
    cof_free(bytes);
    need(cof_model_palettes(model) == 2 && cof_model_matrix(cof_model_member(model, 1)));
    call_copies(stats, model, &options);
    must(cof_model_label(model, &s->in, &s->labels, &options));
    must(cof_filter(model, &s->other, &s->in, &s->out, &options));
    must(cof_select_spread(model, &s->in, &s->marks, NULL, &s->soft, &options));
    cof_model_free(&model);
    cof_stats_free(&stats);
}

static void call_files(const Scene *s)
{
    CofOptions options = options_of(s);
    CofModel *one, *two, *loaded[2];
    CofFileKind kind;
    void *bytes;
    size_t size;
    options.gap = 0;
    must(cof_model_learn_pair(&one, &two, &s->in, &s->mask, &options));
    must(cof_model_save(one, &bytes, &size, NULL));
    must(cof_model_load(&loaded[0], bytes, size, NULL));
    cof_model_free(&loaded[0]);
    cof_free(bytes);
    must(cof_model_save_pair(one, two, &bytes, &size, NULL));
    must(cof_file_kind(bytes, size, &kind, NULL));
    must(cof_model_load_pair(&loaded[0], &loaded[1], bytes, size, NULL));
    cof_model_free(&loaded[0]);
    cof_model_free(&loaded[1]);
    must(cof_load(&loaded[0], &loaded[1], bytes, size, &options));
    cof_model_free(&loaded[0]);
    cof_model_free(&loaded[1]);
    cof_model_free(&one);
    cof_model_free(&two);
    cof_free(bytes);
}

static void call_filter(const Scene *s)
{
    CofOptions options = options_of(s);
    CofModel *model = learned(s, &options);
    int margin;
    must(cof_model_label(model, &s->in, &s->labels, &options));
    must(cof_filter(model, &s->other, &s->in, &s->out, &options));
    options.method = COF_METHOD_FAST;
    options.filter_window = 41;
    must(cof_filter_margin(model, &margin, &options));
    must(cof_filter_labels(model, &s->labels, &s->in, &s->out, &options));
    cof_model_free(&model);
}

static void call_coarse(const Scene *s)
{
    CofOptions options = options_of(s);
    options.downscale = 2;
    CofModel *model = learned(s, &options);
    CofImage small = s->out;
    CofCoarse *coarse;
    small.width = small.full_width = (s->in.width - 1) / 2 + 1;
    small.height = small.full_height = (s->in.height - 1) / 2 + 1;
    must(cof_downscale(&s->in, 2, &small, NULL, &options));
    must(cof_coarse_new(&coarse, model, &small, &options));
    must(cof_coarse_filter(coarse, &s->in, &s->out, &options));
    must(cof_coarse_margin(coarse) == 0 ? COF_OK : COF_ERR_ARGUMENT);
    cof_coarse_free(&coarse);
    must(cof_coarse_new_filtered(&coarse, model, &small, &small, &options));
    cof_coarse_free(&coarse);
    cof_model_free(&model);
}

static void call_part(const Scene *s)
{
    CofOptions options = options_of(s);
    CofModel *model = learned(s, &options);
    CofStats *stats;
    CofPart *part;
    must(cof_part_new(&part, &s->in, NULL));
    must(cof_stats_new(&stats, &options));
    must(cof_stats_set_palette_from_model(stats, model, NULL));
    must(cof_stats_add_part(stats, part, NULL, &options));
    must(cof_filter_part(model, part, &s->out, &options));
    cof_part_free(&part);
    cof_stats_free(&stats);
    cof_model_free(&model);
}

static void call_select(const Scene *s)
{
    CofOptions options = options_of(s);
    CofModel *model = learned(s, &options);
    double threshold;
    must(cof_select_spread(model, &s->in, &s->marks, &s->marks, &s->soft, &options));
    must(cof_select_threshold(model, &s->in, &s->marks, NULL, &s->soft, &s->labels, &threshold,
                              &options));
    must(cof_select(&s->in, &s->marks, NULL, &s->labels, &options));
    options.select_method = COF_SELECT_SPREAD;
    must(cof_select(&s->in, &s->marks, NULL, &s->labels, &options));
    cof_model_free(&model);
}

static void call_selection(const Scene *s)
{
    static const double line[4] = {5, 5, 12, 18};
    CofOptions options = options_of(s);
    CofSelection *selection;
    options.min_area = 0.01;
    must(cof_selection_new(&selection, &s->in, &options));
    must(cof_selection_add_stroke(selection, COF_STROKE_FOREGROUND, line, 2, 2, &options));
    must(cof_selection_add_pixels(selection, COF_STROKE_BACKGROUND, &s->marks, &options));
    must(cof_selection_update(selection, &s->labels, &options));
    must(cof_selection_add_stroke(selection, COF_STROKE_FOREGROUND, line, 2, 1, &options));
    must(cof_selection_correct(selection, &s->labels, &options));
    must(cof_selection_set_mask(selection, &s->labels, &options));
    must(cof_selection_correct(selection, NULL, &options));
    must(cof_selection_follow(selection, &s->in, &s->labels, &options));
    must(cof_mask_stroke(&s->labels, line, 2, 2, 255, &options));
    cof_selection_free(&selection);
}

/* The mask of a large image is fitted to it at full size. */
static void call_selection_of_large(const Scene *s)
{
    enum { WIDE = 601, TALL = 500 };
    static const double point[2] = {5, 5}, other[2] = {550, 400};
    CofOptions options = options_of(s);
    CofImage image = s->in, mask = {.width = WIDE, .height = TALL, .channels = 1};
    CofSelection *selection;
    size_t size = s->sample == COF_SAMPLE_U8 ? 1 : 4;
    if (s->channels > 4)
        return;
    image.width = WIDE;
    image.height = TALL;
    image.data = calloc((size_t)WIDE * TALL * (size_t)s->channels, size);
    mask.data = calloc((size_t)WIDE * TALL, 1);
    need(image.data && mask.data);
    for (size_t i = 0; i < (size_t)WIDE * (TALL / 2) * (size_t)s->channels * size; i++)
        ((unsigned char *)image.data)[i] = 60;
    must(cof_selection_new(&selection, &image, &options));
    must(cof_selection_add_stroke(selection, COF_STROKE_FOREGROUND, point, 1, 3, &options));
    must(cof_selection_add_stroke(selection, COF_STROKE_BACKGROUND, other, 1, 3, &options));
    must(cof_selection_update(selection, &mask, &options));
    need(((unsigned char *)mask.data)[0] == 255);
    must(cof_selection_add_stroke(selection, COF_STROKE_FOREGROUND, point, 1, 2, &options));
    must(cof_selection_correct(selection, &mask, &options));
    must(cof_selection_set_mask(selection, &mask, &options));
    must(cof_selection_add_stroke(selection, COF_STROKE_BACKGROUND, point, 1, 1, &options));
    must(cof_selection_correct(selection, &mask, &options));
    cof_selection_free(&selection);
    free(image.data);
    free(mask.data);
}

static void call_focus(const Scene *s)
{
    CofOptions options = options_of(s);
    CofModel *one, *two;
    options.gap = 0;
    must(cof_mask_dilate(&s->marks, 2, &s->labels, &options));
    must(cof_mask_prior(&s->mask, &s->soft, &options));
    must(cof_model_learn_pair(&one, &two, &s->in, &s->mask, &options));
    must(cof_focus(one, two, &s->soft, NULL, &s->in, &s->out, &options));
    must(cof_matte(one, two, NULL, &s->in, &s->soft, &options));
    must(cof_blend(&s->soft, &s->in, &s->other, &s->out, &options));
    must(cof_focus_mask(&s->in, &s->mask, &s->out, &options));
    cof_model_free(&one);
    cof_model_free(&two);
}

static void call_tint(const Scene *s)
{
    static const double colour[3] = {1, 0.5, 0};
    CofOptions options = options_of(s);
    double chroma;
    if (s->kind != COF_KIND_RGB && s->kind != COF_KIND_RGBA)
        return;
    must(cof_mean_chroma(&s->in, &s->mask, &chroma, &options));
    must(cof_tint(&s->in, colour, chroma, &s->out, &options));
    must(cof_recolour(&s->in, &s->mask, colour, &s->out, &s->soft, &options));
}

static void call_posterise(const Scene *s)
{
    float palette[3 * COF_MAX_COLOURS];
    CofOptions options = options_of(s);
    int n;
    options.min_area = 0.01;
    if (s->kind != COF_KIND_BANDS)
        must(cof_posterise(&s->in, COF_MAX_COLOURS, &s->out, &s->labels, palette, &n, &options));
}

typedef struct Call {
    const char *name;
    void (*run)(const Scene *s);
} Call;

static const Call calls[] = {
    {"smooth several", call_smooth_several},
    {"members", call_members},
    {"options", call_options},
    {"smooth", call_smooth},
    {"smooth fast", call_smooth_fast},
    {"context", call_context},
    {"stats", call_stats},
    {"palettes", call_palettes},
    {"models", call_models},
    {"files", call_files},
    {"filter", call_filter},
    {"coarse", call_coarse},
    {"part", call_part},
    {"select", call_select},
    {"selection", call_selection},
    {"selection of a large image", call_selection_of_large},
    {"focus", call_focus},
    {"tint", call_tint},
    {"posterise", call_posterise},
};

typedef struct Run {
    const Call *call;
    const Scene *scene;
} Run;

/* Signals of this thread are handled on another stack, since an overflow leaves none of its own. */
static void *run_call(void *argument)
{
    static unsigned char memory[64 * 1024];
    stack_t other = {.ss_sp = memory, .ss_size = sizeof memory};
    const Run *run = argument;
    need(sigaltstack(&other, NULL) == 0);
    run->call->run(run->scene);
    return NULL;
}

static unsigned char *map_stack(void)
{
    unsigned char *memory =
        mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, GUARD, PROT_NONE) != 0) {
        perror("small_stack");
        exit(1);
    }
    return memory;
}

/* Runs a call on a small stack; returns how many bytes of it were used. The C library is told of a
 * larger stack, whose lower part cannot be touched: some refuse to use one of 64 kB. */
static size_t run_on(unsigned char *memory, const Call *call, const Scene *scene)
{
    Run run = {call, scene};
    pthread_attr_t attributes;
    pthread_t thread;
    call_name = call->name;
    scene_name = scene->name;
    memset(memory + GUARD, PAINT, STACK);
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstack(&attributes, memory, GUARD + STACK) != 0 ||
        pthread_create(&thread, &attributes, run_call, &run) != 0)
        complain("cannot start a thread");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    size_t untouched = 0;
    while (untouched < STACK && memory[GUARD + untouched] == PAINT)
        untouched++;
    return STACK - untouched;
}

static void report_overflow(int number)
{
    (void)number;
    complain("needs more than 64 kB of stack");
}

static void watch_overflow(void)
{
    struct sigaction action = {.sa_handler = report_overflow, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

static CofImage image_of(const Scene *s, unsigned seed)
{
    CofImage image = {.width = WIDTH,
                      .height = HEIGHT,
                      .channels = s->channels,
                      .kind = s->kind,
                      .sample = s->sample};
    size_t n = (size_t)(PIXELS * s->channels), size = s->sample == COF_SAMPLE_U8 ? 1 : 4;
    unsigned char *bytes = malloc(n * size);
    if (!bytes)
        exit(1);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        float value = (float)(seed >> 8) / (float)(1 << 24);
        if (s->sample == COF_SAMPLE_F32)
            memcpy(bytes + 4 * i, &value, sizeof value);
        else
            bytes[i] = (unsigned char)(seed >> 24);
    }
    image.data = bytes;
    return image;
}

/* A grey image; pixels first..last-1 are 1. */
static CofImage grey_of(CofSample sample, int first, int last)
{
    CofImage image = {.width = WIDTH, .height = HEIGHT, .channels = 1, .sample = sample};
    image.data = calloc(PIXELS, sample == COF_SAMPLE_U8 ? 1 : 4);
    if (!image.data)
        exit(1);
    memset((unsigned char *)image.data + first, 1, (size_t)(last - first));
    return image;
}

static void fill_scene(Scene *s)
{
    s->in = image_of(s, 1);
    s->other = image_of(s, 2);
    s->out = image_of(s, 3);
    s->marks = grey_of(COF_SAMPLE_U8, 0, 3 * WIDTH);
    s->mask = grey_of(COF_SAMPLE_U8, 0, PIXELS / 2);
    s->labels = grey_of(COF_SAMPLE_U8, 0, 0);
    s->soft = grey_of(COF_SAMPLE_F32, 0, 0);
}

static void free_scene(Scene *s)
{
    CofImage *images[] = {&s->in, &s->other, &s->out, &s->marks, &s->mask, &s->labels, &s->soft};
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
        free(images[i]->data);
}

int main(void)
{
    Scene scenes[] = {
        {.name = "RGB", .kind = COF_KIND_RGB, .channels = 3, .colours = 32},
        {.name = "RGBA, float",
         .kind = COF_KIND_RGBA,
         .sample = COF_SAMPLE_F32,
         .channels = 4,
         .colours = 40},
        {.name = "grey", .kind = COF_KIND_GREY, .channels = 1, .colours = 256},
        {.name = "64 bands", .kind = COF_KIND_BANDS, .channels = COF_MAX_BANDS, .colours = 32},
        {.name = "64 bands, float",
         .kind = COF_KIND_BANDS,
         .sample = COF_SAMPLE_F32,
         .channels = COF_MAX_BANDS,
         .colours = 256},
    };
    unsigned char *stack = map_stack();
    need(setenv("COF_MODULE_PATH", "/nonexistent", 1) == 0);
    watch_overflow();
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        fill_scene(&scenes[i]);
        for (size_t j = 0; j < sizeof calls / sizeof calls[0]; j++) {
            size_t used = run_on(stack, &calls[j], &scenes[i]);
            printf("%6zu bytes of stack: %s (%s)\n", used, calls[j].name, scenes[i].name);
        }
        free_scene(&scenes[i]);
    }
    munmap(stack, GUARD + STACK);
    return 0;
}
