/* SPDX-License-Identifier: BSD-2-Clause */
/* Random calls of the public API in one process, without end. Every second all objects are freed,
 * and a line gives the number of calls and what the process holds: kB, descriptors and threads. */
#include <dirent.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cof/cof.h"

#define MAX_SIDE 96

static unsigned seed;
static long calls;

static int below(int n)
{
    return (int)((unsigned)rand_r(&seed) % (unsigned)n);
}

/* Objects that calls make and use. */
typedef struct State {
    CofContext *context;
    CofStats *stats;
    CofModel *model, *foreground;
    CofImage in, out, mask;
    CofOptions options;
    CofProblem problem;
} State;

static size_t sample_size(CofSample sample)
{
    return sample == COF_SAMPLE_U8 ? 1 : sample == COF_SAMPLE_U16 ? 2 : 4;
}

static CofImage new_image(int width, int height, CofKind kind, int channels, CofSample sample)
{
    CofImage image = {
        .width = width, .height = height, .channels = channels, .kind = kind, .sample = sample};
    size_t n = (size_t)width * (size_t)height * (size_t)channels;
    image.data = malloc(n * sample_size(sample));
    if (!image.data)
        abort();
    int noise = 1 + below(40);
    for (size_t i = 0; i < n; i++) {
        int value = (int)(i / (size_t)channels % (size_t)width) * 2 + below(noise);
        if (sample == COF_SAMPLE_U8)
            ((uint8_t *)image.data)[i] = (uint8_t)value;
        else if (sample == COF_SAMPLE_U16)
            ((uint16_t *)image.data)[i] = (uint16_t)(value * 257);
        else
            ((float *)image.data)[i] = (float)value / 255;
    }
    return image;
}

static void make_images(State *s)
{
    static const int channels[] = {1, 2, 3, 4};
    static const CofKind kinds[] = {COF_KIND_GREY, COF_KIND_GREY_ALPHA, COF_KIND_RGB,
                                    COF_KIND_RGBA};
    int width = 1 + below(MAX_SIDE), height = 1 + below(MAX_SIDE), kind = below(4);
    CofSample sample = (CofSample)below(3);
    s->in = new_image(width, height, kinds[kind], channels[kind], sample);
    s->out = new_image(width, height, kinds[kind], channels[kind], sample);
    s->mask = new_image(width, height, COF_KIND_GREY, 1, COF_SAMPLE_U8);
    uint8_t *marks = s->mask.data;
    for (int i = 0; i < width * height; i++)
        marks[i] = marks[i] > 60 ? 255 : 0;
}

static void free_images(State *s)
{
    free(s->in.data);
    free(s->out.data);
    free(s->mask.data);
}

static int cancel_sometimes(void *user, double done)
{
    (void)done;
    return below(*(int *)user) == 0;
}

static void choose_options(State *s)
{
    static int chance = 20;
    static const char *const settings[][2] = {
        {"window", "5"},      {"window", "9"},     {"window", "200"},  {"colours", "7"},
        {"method", "fast"},   {"method", "exact"}, {"downscale", "2"}, {"iterations", "2"},
        {"border", "mirror"}, {"sigma", "nan"},    {"threads", "2"},   {"softness", "0.2"}};
    cof_options_init(&s->options);
    for (int i = below(4); i > 0; i--) {
        const char *const *pair = settings[below((int)(sizeof settings / sizeof settings[0]))];
        CofStatus status = cof_options_set(&s->options, pair[0], pair[1], &s->problem);
        (void)status; /* some are refused */
    }
    s->options.problem = &s->problem;
    s->options.context = below(2) == 0 ? s->context : NULL;
    if (s->options.context)
        s->options.threads = 0;
    if (below(8) == 0) {
        s->options.progress = cancel_sometimes;
        s->options.user = &chance;
    }
}

static CofStatus learn_stats(State *s)
{
    CofStats *fresh = NULL;
    CofStatus status = cof_stats_new(&fresh, &s->options);
    if (status == COF_OK)
        status = cof_stats_scan(fresh, &s->in, NULL, &s->options);
    if (status == COF_OK)
        status = cof_stats_fit_palette(fresh, &s->options);
    if (status == COF_OK)
        status = cof_stats_add(fresh, &s->in, NULL, &s->options);
    if (status == COF_OK && s->stats && cof_stats_merge(fresh, s->stats, &s->problem) != COF_OK)
        status = COF_OK; /* their palettes differ */
    cof_stats_free(&s->stats);
    if (status == COF_OK)
        s->stats = fresh;
    else
        cof_stats_free(&fresh);
    return status;
}

static CofStatus save_and_load(State *s)
{
    void *bytes = NULL;
    size_t size;
    CofModel *copy = NULL;
    CofStatus status = cof_model_save(s->model, &bytes, &size, &s->problem);
    if (status == COF_OK && below(3) == 0)
        ((uint8_t *)bytes)[below((int)size)] ^= (uint8_t)(1 + below(255)); /* damaged */
    if (status == COF_OK)
        status = cof_model_load(&copy, bytes, size, &s->problem);
    cof_model_free(&copy);
    cof_free(bytes);
    return status;
}

static CofStatus call(State *s)
{
    switch (below(11)) {
    case 0:
        return cof_smooth(&s->in, &s->out, &s->options);
    case 1:
        return learn_stats(s);
    case 2:
        cof_model_free(&s->model);
        return cof_model_learn(&s->model, &s->in, NULL, 1, &s->options);
    case 3:
        cof_model_free(&s->model);
        return s->stats ? cof_model_new(&s->model, s->stats, &s->options) : COF_OK;
    case 4:
        return s->model ? cof_filter(s->model, NULL, &s->in, &s->out, &s->options) : COF_OK;
    case 5:
        return s->model ? save_and_load(s) : COF_OK;
    case 6:
        return cof_select(&s->in, &s->mask, NULL, &s->mask, &s->options);
    case 7:
        return cof_focus_mask(&s->in, &s->mask, &s->out, &s->options);
    case 8:
        return cof_mask_dilate(&s->mask, below(7) - 3, &s->mask, &s->options);
    case 9:
        cof_model_free(&s->model);
        cof_model_free(&s->foreground);
        return cof_model_learn_pair(&s->foreground, &s->model, &s->in, &s->mask, &s->options);
    default:
        cof_context_free(&s->context);
        return cof_context_new(&s->context, 1 + below(4), &s->problem);
    }
}

static void run_one_second(void)
{
    State s = {0};
    for (time_t start = time(NULL); time(NULL) == start;) {
        make_images(&s);
        choose_options(&s);
        CofStatus status = call(&s);
        (void)status;
        calls++;
        free_images(&s);
    }
    cof_stats_free(&s.stats);
    cof_model_free(&s.model);
    cof_model_free(&s.foreground);
    cof_context_free(&s.context);
    malloc_trim(0);
}

static int count_entries(const char *folder)
{
    int n = 0;
    DIR *stream = opendir(folder);
    while (stream && readdir(stream))
        n++;
    if (stream)
        closedir(stream);
    return n - 3; /* "." and "..", and of descriptors the one of the folder */
}

static void print_usage(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        abort();
    fclose(file);
    printf("%ld %ld %d %d\n", calls, pages * (sysconf(_SC_PAGESIZE) / 1024),
           count_entries("/proc/self/fd"), count_entries("/proc/self/task") + 1);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    for (;;) {
        run_one_second();
        print_usage();
    }
}
