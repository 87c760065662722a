/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: chains of learning, merging, decay, models, filtering and files, in which
 * allocations and thread creations fail. The input is a list of steps. A step that fails says that
 * memory is missing and changes nothing, the next steps still work, and nothing is leaked. */
#include <stdlib.h>
#include <string.h>

#include "cof/cof.h"
#include "failing_heap.h"
#include "fuzz.h"
#include "guarded_image.h"
#include "input.h"

enum { MAX_STEPS = 24, OBJECTS = 2, SIDE = 12 };

typedef struct Desk {
    Input *input;
    GuardedImage image, out, mask, soft;
    CofOptions options;
    CofStats *stats[OBJECTS];
    CofModel *models[OBJECTS];
    CofSelection *selection;
    CofPart *part;
    void *file; /* what was saved last */
    size_t file_size;
} Desk;

static void desk_new(Desk *d, Input *input)
{
    static const int kinds[] = {COF_KIND_RGB, COF_KIND_GREY, COF_KIND_BANDS, COF_KIND_RGBA};
    memset(d, 0, sizeof *d);
    d->input = input;
    CofKind kind = (CofKind)kinds[input_int(input, 0, 3)];
    CofSample sample = (CofSample)input_int(input, 0, 2);
    int channels = kind == COF_KIND_BANDS ? 2 : (int)kind + 1;
    int width = input_int(input, 1, SIDE), height = input_int(input, 1, SIDE);
    d->image = guarded_new(input_byte(input), width, height, channels, kind, sample);
    guarded_fill(&d->image, input, false);
    d->out = guarded_copy(&d->image, 0);
    d->mask = guarded_new(0, width, height, 1, COF_KIND_GREY, COF_SAMPLE_U8);
    d->soft = guarded_new(0, width, height, 1, COF_KIND_GREY, COF_SAMPLE_F32);
    guarded_set(&d->mask, width / 2, height / 2, 0, 0.01f);
    cof_options_init(&d->options);
    d->options.window = 3;
    d->options.colours = 4;
    d->options.levels = 8;
    d->options.gap = 0;
    d->options.spread_window = 3;
    d->options.spread_iterations = 2;
    d->options.threads = input_int(input, 1, 2);
    d->options.iterations = input_int(input, 1, 2);
    d->options.downscale = input_int(input, 1, 2);
    d->options.method = (CofMethod)input_int(input, 0, 2);
    d->options.filter_window = input_int(input, 0, 6) * 2 + 1;
    d->options.update = (CofUpdate)input_int(input, 0, 2);
    d->options.palettes = 1 + width % 2; /* one allows labels and pairs */
}

static void desk_free(Desk *d)
{
    for (int i = 0; i < OBJECTS; i++) {
        cof_stats_free(&d->stats[i]);
        cof_model_free(&d->models[i]);
    }
    cof_selection_free(&d->selection);
    cof_part_free(&d->part);
    cof_context_free(&d->options.context);
    cof_free(d->file);
    guarded_free(&d->image);
    guarded_free(&d->out);
    guarded_free(&d->mask);
    guarded_free(&d->soft);
}

/* The steps. `i` is the object that is used or replaced. */

static CofStatus new_stats(Desk *d, int i)
{
    cof_stats_free(&d->stats[i]);
    return cof_stats_new(&d->stats[i], &d->options);
}

static CofStatus new_like(Desk *d, int i)
{
    cof_stats_free(&d->stats[i]);
    return cof_stats_new_like(&d->stats[i], d->stats[1 - i], NULL);
}

static CofStatus scan(Desk *d, int i)
{
    return cof_stats_scan(d->stats[i], &d->image.view, NULL, &d->options);
}

static CofStatus fit(Desk *d, int i)
{
    return cof_stats_fit_palette(d->stats[i], &d->options);
}

static CofStatus use_labels(Desk *d, int i)
{
    return cof_stats_set_labels(d->stats[i], 4, NULL);
}

static CofStatus add(Desk *d, int i)
{
    return cof_stats_add(d->stats[i], &d->image.view, NULL, &d->options);
}

static CofStatus add_part(Desk *d, int i)
{
    CofStatus status =
        d->part ? COF_OK : cof_part_new(&d->part, &d->image.view, d->options.problem);
    return status == COF_OK ? cof_stats_add_part(d->stats[i], d->part, NULL, &d->options) : status;
}

static CofStatus filter_part(Desk *d, int i)
{
    return cof_filter_part(d->models[i], d->part, &d->out.view, &d->options);
}

static CofStatus add_labels(Desk *d, int i)
{
    return cof_stats_add_labels(d->stats[i], &d->mask.view, NULL, &d->options);
}

static CofStatus merge(Desk *d, int i)
{
    return cof_stats_merge(d->stats[i], d->stats[1 - i], NULL);
}

static CofStatus decay(Desk *d, int i)
{
    return cof_stats_decay(d->stats[i], 2, 3, NULL);
}

static CofStatus save_stats(Desk *d, int i)
{
    cof_free(d->file);
    d->file = NULL;
    d->file_size = 0;
    return cof_stats_save(d->stats[i], &d->file, &d->file_size, NULL);
}

static CofStatus load_stats(Desk *d, int i)
{
    cof_stats_free(&d->stats[i]);
    return cof_stats_load(&d->stats[i], d->file, d->file_size, NULL);
}

static CofStatus new_model(Desk *d, int i)
{
    cof_model_free(&d->models[i]);
    return cof_model_new(&d->models[i], d->stats[i], &d->options);
}

static CofStatus new_soft(Desk *d, int i)
{
    cof_model_free(&d->models[i]);
    return cof_model_new_soft(&d->models[i], d->stats[i], &d->image.view, NULL, 1, &d->options);
}

static CofStatus learn(Desk *d, int i)
{
    cof_model_free(&d->models[i]);
    return cof_model_learn(&d->models[i], &d->image.view, NULL, 1, &d->options);
}

static CofStatus learn_pair(Desk *d, int i)
{
    cof_model_free(&d->models[0]);
    cof_model_free(&d->models[1]);
    return cof_model_learn_pair(&d->models[i], &d->models[1 - i], &d->image.view, &d->mask.view,
                                &d->options);
}

static CofStatus save_models(Desk *d, int i)
{
    cof_free(d->file);
    d->file = NULL;
    d->file_size = 0;
    return i == 0 ? cof_model_save(d->models[0], &d->file, &d->file_size, NULL)
                  : cof_model_save_pair(d->models[0], d->models[1], &d->file, &d->file_size, NULL);
}

static CofStatus load_models(Desk *d, int i)
{
    cof_model_free(&d->models[0]);
    cof_model_free(&d->models[1]);
    return cof_load(i == 0 ? NULL : &d->models[0], &d->models[1], d->file, d->file_size,
                    &d->options);
}

static CofStatus filter(Desk *d, int i)
{
    return cof_filter(d->models[i], NULL, &d->image.view, &d->out.view, &d->options);
}

static CofStatus focus(Desk *d, int i)
{
    return cof_focus(d->models[i], d->models[1 - i], NULL, NULL, &d->image.view, &d->out.view,
                     &d->options);
}

static CofStatus smooth(Desk *d, int i)
{
    return i == 0 ? cof_smooth(&d->image.view, &d->out.view, &d->options)
                  : cof_focus_mask(&d->image.view, &d->mask.view, &d->out.view, &d->options);
}

static CofStatus select_marked(Desk *d, int i)
{
    return i == 0 ? cof_select(&d->image.view, &d->mask.view, NULL, &d->mask.view, &d->options)
                  : cof_select_spread(d->models[i], &d->image.view, &d->mask.view, NULL,
                                      &d->soft.view, &d->options);
}

static CofStatus new_selection(Desk *d, int i)
{
    (void)i;
    cof_selection_free(&d->selection);
    return cof_selection_new(&d->selection, &d->image.view, &d->options);
}

static CofStatus mark(Desk *d, int i)
{
    static const double point[2] = {0, 0};
    return i == 0 ? cof_selection_add_pixels(d->selection, COF_STROKE_FOREGROUND, &d->mask.view,
                                             &d->options)
                  : cof_selection_add_stroke(d->selection, COF_STROKE_BACKGROUND, point, 1, 0,
                                             &d->options);
}

static CofStatus follow(Desk *d, int i)
{
    return cof_selection_follow(d->selection, i == 0 ? NULL : &d->image.view, &d->mask.view,
                                &d->options);
}

static CofStatus update_selection(Desk *d, int i)
{
    d->options.min_area = i * 0.1;
    return cof_selection_update(d->selection, &d->mask.view, &d->options);
}

static CofStatus masks(Desk *d, int i)
{
    return i == 0 ? cof_mask_dilate(&d->mask.view, 1.5, &d->mask.view, &d->options)
                  : cof_mask_prior(&d->mask.view, &d->soft.view, &d->options);
}

static CofStatus new_context(Desk *d, int i)
{
    cof_context_free(&d->options.context);
    return cof_context_new(&d->options.context, 1 + i, NULL);
}

typedef CofStatus Step(Desk *d, int i);

static Step *const steps[] = {new_stats,     new_like,
                              scan,          fit,
                              add,           merge,
                              decay,         new_model,
                              filter,        save_stats,
                              load_stats,    save_models,
                              load_models,   new_soft,
                              learn,         learn_pair,
                              focus,         smooth,
                              select_marked, masks,
                              new_context,   use_labels,
                              add_labels,    new_selection,
                              mark,          update_selection,
                              follow,        add_part,
                              filter_part};
enum { STEPS = sizeof steps / sizeof steps[0] };

/* Statistics as bytes, without failures; NULL if there are none. */
static void *stats_bytes(const CofStats *stats, size_t *size)
{
    void *bytes = NULL;
    long refuse_at = heap.refuse_at;
    heap.refuse_at = -1;
    *size = 0;
    if (stats)
        CHECK(cof_stats_save(stats, &bytes, size, NULL) == COF_OK);
    heap.refuse_at = refuse_at;
    return bytes;
}

/* These steps replace an object, so there is nothing that could stay the same. */
static bool replaces_stats(Step *step)
{
    return step == new_stats || step == new_like || step == load_stats;
}

static void run_step(Desk *d, Step *step, int i)
{
    size_t size = 0, size_after = 0;
    void *before = stats_bytes(d->stats[i], &size);
    GuardedImage out = guarded_copy(&d->out, 0);
    heap.allocations = 0;
    heap.threads = 0;
    heap.refuse_at = input_byte(d->input) - 1;
    heap.refuse_threads_from = input_int(d->input, -1, 2);
    CofStatus status = step(d, i);
    bool refused = heap.refuse_at >= 0 && heap.allocations > heap.refuse_at;
    heap.refuse_at = heap.refuse_threads_from = -1;
    CHECK(status != COF_ERR_MEMORY || refused);
    if (status != COF_OK) {
        void *after = stats_bytes(d->stats[i], &size_after);
        CHECK(replaces_stats(step) ||
              (size == size_after && (size == 0 || memcmp(before, after, size) == 0)));
        CHECK(guarded_equal(&out, &d->out));
        cof_free(after);
    }
    guarded_free(&out);
    cof_free(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Input input = {data, size};
    Desk desk;
    int before = heap.n_blocks;
    desk_new(&desk, &input);
    for (int n = 0; n < MAX_STEPS && input.left > 0; n++) {
        uint8_t step = input_byte(&input);
        run_step(&desk, steps[(step >> 1) % STEPS], step & 1);
    }
    desk_free(&desk);
    CHECK(heap.n_blocks == before);
    return 0;
}
