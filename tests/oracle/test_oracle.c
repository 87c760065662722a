/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the library with the oracle on random images and options. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "oracle.h"
#include "testing.h"

/* The fixed part of a random configuration. */
typedef struct Theme {
    const char *name;
    CofKind kinds[2];
    int n_kinds;
    int sample; /* -1: any */
    bool guide, labels, gaps, soft;
    CofUpdate repeat;
    int most_iterations;
} Theme;

#define TRIALS_PER_THEME 55

static const Theme themes[] = {
    {"grey8", {COF_KIND_GREY}, 1, COF_SAMPLE_U8, .gaps = true, .most_iterations = 2},
    {"grey16",
     {COF_KIND_GREY, COF_KIND_GREY_ALPHA},
     2,
     COF_SAMPLE_U16,
     .gaps = true,
     .most_iterations = 2},
    {"grey_float",
     {COF_KIND_GREY, COF_KIND_GREY_ALPHA},
     2,
     COF_SAMPLE_F32,
     .gaps = true,
     .most_iterations = 2},
    {"rgb", {COF_KIND_RGB, COF_KIND_RGBA}, 2, -1, .gaps = true, .most_iterations = 2},
    {"bands", {COF_KIND_BANDS}, 1, -1, .gaps = true, .most_iterations = 2},
    {"guide",
     {COF_KIND_RGB, COF_KIND_BANDS},
     2,
     -1,
     .guide = true,
     .gaps = true,
     .most_iterations = 2},
    {"labels",
     {COF_KIND_RGBA, COF_KIND_GREY},
     2,
     -1,
     .labels = true,
     .gaps = true,
     .most_iterations = 2},
    {"exact_soft",
     {COF_KIND_RGB, COF_KIND_BANDS},
     2,
     -1,
     .soft = true,
     .gaps = true,
     .most_iterations = 1},
    {"relabel",
     {COF_KIND_GREY, COF_KIND_RGB},
     2,
     -1,
     .repeat = COF_UPDATE_LABELS,
     .most_iterations = 4},
    {"rolling",
     {COF_KIND_RGB, COF_KIND_BANDS},
     2,
     -1,
     .repeat = COF_UPDATE_MODEL,
     .most_iterations = 3},
};

/* One random configuration with its inputs and results. */
typedef struct Trial {
    Random random;
    const Theme *theme;
    int width, height;
    TestImage in, guide, out, label_image, mask;
    bool has_guide, has_labels, has_mask, has_given_palette, rates;
    CofRoi roi;
    CofOptions options;
    CofStats *stats;
    CofModel *model;
    int member; /* the palette that these are of: */
    int k, bands;
    uint8_t *labels;
    unsigned char *learn;
    double *matrix, *pi;
    bool ambiguous; /* a later pass depends on the last bit of a value */
} Trial;

static const CofStats *stats_of(const Trial *t)
{
    return cof_stats_member(t->stats, t->member);
}

static const CofModel *model_of(const Trial *t)
{
    return cof_model_member(t->model, t->member);
}

static const TestImage *learned_from(const Trial *t)
{
    return t->has_guide ? &t->guide : &t->in;
}

/* Fills patches of a few values, with noise, so that some labels often co-occur and others never.
 * */
static void paint(Trial *t, TestImage *p)
{
    double base[5][COF_MAX_BANDS], unit = sample_max(p);
    bool anything = p->view.sample == COF_SAMPLE_F32 && p->view.kind == COF_KIND_BANDS;
    double scale = anything ? pow(10, random_int(&t->random, -6, 6)) : unit;
    double noise = random_chance(&t->random, 0.2) ? 0 : 0.1 * random_uniform(&t->random);
    int patch = random_int(&t->random, 1, 6), bases = random_int(&t->random, 1, 5);
    for (int i = 0; i < 5; i++)
        for (int c = 0; c < COF_MAX_BANDS; c++)
            base[i][c] = random_uniform(&t->random);
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++)
            for (int c = 0; c < p->view.channels; c++) {
                int which = (x / patch * 7 + y / patch * 13) % bases;
                double v = base[which][c] + noise * random_normal(&t->random);
                test_image_set(p, x, y, c, v * scale);
            }
    if (colour_bands(p) < p->view.channels)
        for (int y = 0; y < t->height; y++)
            for (int x = 0; x < t->width; x++) {
                double choice = random_uniform(&t->random), alpha = random_uniform(&t->random);
                test_image_set(p, x, y, p->view.channels - 1,
                               unit * (choice < 0.2   ? 0
                                       : choice < 0.6 ? 1
                                                      : alpha));
            }
    if (t->theme->gaps && random_chance(&t->random, 0.4))
        test_image_add_gaps(p, &t->random, 0.2);
    if (t->theme->gaps && p->view.sample == COF_SAMPLE_F32 && random_chance(&t->random, 0.4))
        for (int i = 0; i < 3; i++)
            test_image_set(p, random_int(&t->random, 0, t->width - 1),
                           random_int(&t->random, 0, t->height - 1),
                           random_int(&t->random, 0, p->view.channels - 1),
                           i == 0 ? NAN : INFINITY);
}

static TestImage random_test_image(Trial *t, CofKind kind, CofSample sample)
{
    int bands = random_chance(&t->random, 0.15) ? random_int(&t->random, 1, COF_MAX_BANDS)
                                                : random_int(&t->random, 1, 5);
    int channels = kind_channels(kind, bands);
    TestImage p =
        test_image_new(&t->random, LAYOUT_ANY, t->width, t->height, channels, kind, sample);
    paint(t, &p);
    return p;
}

static void choose_roi(Trial *t)
{
    if (random_chance(&t->random, 0.3)) {
        t->has_mask = true;
        t->mask = test_image_new(&t->random, LAYOUT_ANY, t->width, t->height, 1, COF_KIND_GREY,
                                 COF_SAMPLE_U8);
        for (int y = 0; y < t->height; y++)
            for (int x = 0; x < t->width; x++)
                test_image_set(&t->mask, x, y, 0,
                               random_chance(&t->random, 0.6) ? random_int(&t->random, 1, 255) : 0);
        t->roi.mask = &t->mask.view;
    }
    if (random_chance(&t->random, 0.3)) {
        int x = random_int(&t->random, 0, t->width - 1),
            y = random_int(&t->random, 0, t->height - 1);
        t->roi.region = (CofRect){x, y, random_int(&t->random, 1, t->width + 3),
                                  random_int(&t->random, 1, t->height + 3)};
    }
}

static int odd(Trial *t, int most)
{
    return 2 * random_int(&t->random, 0, most / 2) + 1;
}

static void choose_options(Trial *t)
{
    CofOptions *o = &t->options;
    Random *r = &t->random;
    cof_options_init(o);
    assert_ok(cof_options_set_variant(o, (CofVariant)random_int(r, 0, 2), NULL));
    o->colours = random_chance(r, 0.1) ? random_int(r, 1, 256) : random_int(r, 1, 24);
    o->levels = random_chance(r, 0.5) ? 256 : random_int(r, 2, 40);
    if (random_chance(r, 0.2)) {
        double max = sample_max(learned_from(t));
        o->low = (random_uniform(r) - 0.3) * max;
        o->high = o->low + (random_uniform(r) + 0.1) * max;
    }
    o->window = odd(t, random_chance(r, 0.1) ? 63 : 15);
    o->sampling = (CofSampling)random_int(r, 0, 1);
    o->seed = random_bits(r);
    if (random_chance(r, 0.4))
        o->sigma = 0.3 + 8 * random_uniform(r);
    if (random_chance(r, 0.7))
        o->softness = random_chance(r, 0.3) ? 0 : 2 * random_uniform(r);
    if (t->theme->soft)
        o->softness = 0.2 + random_uniform(r);
    if (random_chance(r, 0.5))
        o->normalise = (CofNormalise)random_int(r, 0, 1);
    if (random_chance(r, 0.4))
        o->filter_window = odd(t, random_chance(r, 0.1) ? 255 : 21);
    if (random_chance(r, 0.4))
        o->filter_sigma = 0.3 + 8 * random_uniform(r);
    if (random_chance(r, 0.6))
        o->border = (CofBorder)random_int(r, 0, 2);
    o->space = random_chance(r, 0.3) ? COF_SPACE_NATIVE : COF_SPACE_LAB;
    o->update = t->theme->repeat;
    o->iterations = random_int(r, 1, t->theme->most_iterations);
    o->threads = random_int(r, 1, 3);
    if (random_chance(r, 0.4))
        o->fidelity = random_int(r, 1, COF_MAX_FIDELITY);
    if (random_chance(r, 0.2))
        o->strength = random_uniform(r);
    if (random_chance(r, 0.2))
        o->detail = random_chance(r, 0.2) ? 1 : -1 + 5 * random_uniform(r);
    if (random_chance(r, 0.3))
        o->separation = random_uniform(r);
    if (random_chance(r, 0.3) && !t->theme->labels)
        o->palettes = random_int(r, 2, COF_MAX_PALETTES);
}

static void trial_new(Trial *t, const Theme *theme, uint64_t seed)
{
    *t = (Trial){.random = {seed * 2654435761u + 17}, .theme = theme};
    Random *r = &t->random;
    bool tiny = random_chance(r, 0.1);
    t->width = random_int(r, 1, tiny ? 3 : 22);
    t->height = random_int(r, 1, tiny ? 3 : 22);
    CofKind kind = theme->kinds[random_int(r, 0, theme->n_kinds - 1)];
    CofSample sample = (CofSample)(theme->sample >= 0 ? theme->sample : random_int(r, 0, 2));
    t->in = random_test_image(t, kind, sample);
    t->has_guide = theme->guide;
    if (t->has_guide)
        t->guide =
            random_test_image(t, (CofKind)random_int(r, 0, 4), (CofSample)random_int(r, 0, 2));
    t->out = test_image_new(r, LAYOUT_ANY, t->width, t->height, t->in.view.channels, kind, sample);
    t->has_labels = theme->labels;
    if (t->has_labels)
        t->label_image =
            test_image_new(r, LAYOUT_ANY, t->width, t->height, 1, COF_KIND_GREY, COF_SAMPLE_U8);
    choose_roi(t);
    choose_options(t);
    size_t n = (size_t)t->width * (size_t)t->height;
    t->labels = calloc(n, 1);
    t->learn = calloc(n, 1);
    t->matrix = calloc(256 * 256, sizeof(double));
    t->pi = calloc(256, sizeof(double));
}

static void trial_free(Trial *t)
{
    cof_stats_free(&t->stats);
    cof_model_free(&t->model);
    test_image_free(&t->in);
    test_image_free(&t->out);
    test_image_free(&t->guide);
    test_image_free(&t->label_image);
    test_image_free(&t->mask);
    free(t->labels);
    free(t->learn);
    free(t->matrix);
    free(t->pi);
}

/* Which pixels may be counted. */
static void find_learners(Trial *t)
{
    const TestImage *p = t->has_labels ? &t->label_image : learned_from(t);
    CofRect region = t->roi.region;
    if (region.width == 0)
        region = (CofRect){0, 0, t->width, t->height};
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++) {
            bool ok = has_data(p, x, y);
            if (colour_bands(p) < p->view.channels)
                ok = ok && test_image_get(p, x, y, p->view.channels - 1) > 0;
            if (t->has_mask)
                ok = ok && test_image_get(&t->mask, x, y, 0) > 0;
            ok = ok && x >= region.x && y >= region.y && x < region.x + region.width &&
                 y < region.y + region.height;
            t->learn[y * t->width + x] = ok;
        }
}

/* Enough pixels to bring the sampling rate to 1 or more. */
static void raise_rate(Trial *t)
{
    int side = (t->k > 32 ? 256 : 128) << random_int(&t->random, 0, 2);
    uint8_t *many = calloc((size_t)side, (size_t)side + 1);
    CofImage view = grey_view(many, side, side + 1);
    assert_ok(cof_stats_scan(t->stats, &view, NULL, &t->options));
    free(many);
    t->rates = true;
}

static void settle_labels(Trial *t)
{
    t->k = random_int(&t->random, 1, random_chance(&t->random, 0.1) ? 256 : 20);
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++)
            test_image_set(&t->label_image, x, y, 0,
                           (x / 3 * 5 + y / 2 * 3 + random_int(&t->random, 0, 2)) % t->k);
    if (random_chance(&t->random, 0.5))
        raise_rate(t);
    assert_ok(cof_stats_set_labels(t->stats, t->k, NULL));
}

static void settle_given_palette(Trial *t, const TestImage *p)
{
    float centres[8 * COF_MAX_BANDS];
    t->has_given_palette = true;
    int bands = colour_bands(p), k = random_int(&t->random, 1, 8);
    for (int i = 0; i < k; i++)
        for (int c = 0; c < bands; c++) {
            double range = is_rgb(p) ? (c == 0 ? 100 : 60) : sample_max(p);
            double low = is_rgb(p) && c > 0 ? -range / 2 : 0;
            centres[i * bands + c] = (float)(low + range * random_uniform(&t->random));
        }
    assert_ok(cof_stats_set_palette(t->stats, centres, k, bands, p->view.kind, NULL));
}

/* Makes palette and counts; false if there was nothing to learn from, which the library must see.
 */
static bool learn(Trial *t)
{
    const TestImage *p = learned_from(t);
    const CofOptions *o = &t->options;
    assert_ok(cof_stats_new(&t->stats, o));
    CofStatus status = COF_OK;
    if (t->has_labels) {
        settle_labels(t);
        status = cof_stats_add_labels(t->stats, &t->label_image.view, &t->roi, o);
    } else {
        if (random_chance(&t->random, 0.15) && !t->theme->soft && !t->theme->repeat &&
            o->palettes == 1) {
            settle_given_palette(t, p);
        } else {
            assert_ok(cof_stats_scan(t->stats, &p->view, &t->roi, o));
            status = cof_stats_fit_palette(t->stats, o);
        }
        if (status == COF_OK)
            status = cof_stats_add(t->stats, &p->view, &t->roi, o);
    }
    find_learners(t);
    bool any = false;
    for (int i = 0; i < t->width * t->height; i++)
        any |= t->learn[i] != 0;
    if (status == COF_OK)
        status = t->theme->soft ? cof_model_new_soft(&t->model, t->stats, &p->view, &t->roi, 1, o)
                                : cof_model_new(&t->model, t->stats, o);
    assert_status(status, any ? COF_OK : COF_ERR_EMPTY);
    if (any) {
        assert_int_equal(cof_stats_palettes(t->stats), o->palettes);
        assert_int_equal(cof_model_palettes(t->model), o->palettes);
    }
    return any;
}

/* Sizes and labels of one of the palettes. */
static void read_labels(Trial *t, int member)
{
    t->member = member;
    t->k = cof_model_size(model_of(t));
    cof_model_palette(model_of(t), &t->bands);
    TestImage labels = test_image_new(&t->random, LAYOUT_ANY, t->width, t->height, 1, COF_KIND_GREY,
                                      COF_SAMPLE_U8);
    if (t->has_labels)
        test_image_copy(&labels, &t->label_image);
    else
        assert_ok(cof_model_label(model_of(t), &learned_from(t)->view, &labels.view, &t->options));
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++)
            t->labels[y * t->width + x] = (uint8_t)test_image_get(&labels, x, y, 0);
    test_image_check_padding(&labels);
    test_image_free(&labels);
}

/* Room for so many counts, which all trials share: new pages for up to 1 GB in a trial would take a
 * sixth of the time of this program. */
static uint64_t *room_for_counts(size_t n)
{
    static uint64_t *counts;
    static size_t size;
    if (n > size) {
        counts = realloc(counts, n * sizeof *counts);
        size = n;
    }
    assert_non_null(counts);
    return counts;
}

static void check_counts(const Trial *t)
{
    int k = t->k, r = t->options.window / 2, squares = 2 * r * r + 1;
    uint64_t *counts = room_for_counts((size_t)squares * (size_t)(k * k));
    uint64_t *histogram = calloc((size_t)k, sizeof *histogram);
    int rate = cof_stats_sampling_shift(stats_of(t));
    if (!t->rates)
        assert_int_equal(rate, 0);
    else if (t->options.sampling == COF_SAMPLING_AUTO)
        assert_true(rate > 0);
    oracle_count(t->labels, t->learn, t->width, t->height, r, k, rate, counts, histogram);
    for (int a = 0; a < k; a++)
        assert_true(cof_stats_histogram(stats_of(t))[a] == histogram[a]);
    for (int square = 0; square < squares; square++)
        for (int a = 0; a < k; a++)
            for (int b = a; b < k; b++) {
                uint64_t expected = counts[(square * k + a) * k + b];
                if (expected != 0 || k < 30) /* asking for each of 256 x 256 takes long */
                    assert_true(count_of(stats_of(t), square, b, a) == expected);
            }
    free(histogram);
}

static double learning_sigma(const CofOptions *o)
{
    double root = sqrt(o->window);
    if (o->sigma > 0)
        return o->sigma;
    return o->variant == COF_VARIANT_PAPER     ? sqrt(2 * root + 1)
           : o->variant == COF_VARIANT_AUTHORS ? root
                                               : 2 * root + 1;
}

static int filter_window(const CofOptions *o)
{
    return o->filter_window > 0 ? o->filter_window : o->window;
}

static double filter_sigma(const CofOptions *o)
{
    double wide = 2 * sqrt(filter_window(o)) + 1;
    if (o->filter_sigma > 0)
        return o->filter_sigma;
    if (o->variant != COF_VARIANT_PAPER)
        return wide;
    return o->filter_window > 0 ? sqrt(wide) : learning_sigma(o);
}

/* The exact palette of 8-bit grey is never softened, and no palette of all colours of an image if
 * separation keeps them apart. */
static double sigma_r(const Trial *t)
{
    const CofOptions *o = &t->options;
    double share = t->member > 0 ? exp2(-2.0 * t->member / (o->palettes - 1)) : 1;
    const TestImage *p = learned_from(t);
    int bands;
    const float *centres = cof_model_palette(model_of(t), &bands);
    bool grey = p->view.kind == COF_KIND_GREY || p->view.kind == COF_KIND_GREY_ALPHA;
    bool exact = grey && p->view.sample == COF_SAMPLE_U8 && t->k == 256 && t->options.low == 0 &&
                 t->options.high == 0;
    exact |= !grey && !t->has_given_palette && o->separation > 0 &&
             t->k < fmax(1, floor(share * o->colours + 0.5));
    return exact ? 0 : oracle_sigma_r(centres, t->k, bands, t->options.softness);
}

static void compute_matrix(Trial *t)
{
    int k = t->k, bands, rate = cof_stats_sampling_shift(stats_of(t)), r = t->options.window / 2;
    double *pairs = calloc((size_t)(k * k), sizeof *pairs), *histogram = calloc((size_t)k, 8);
    const float *centres = cof_model_palette(model_of(t), &bands);
    double sigma = learning_sigma(&t->options);
    if (t->theme->soft && sigma_r(t) > 0) {
        Field field = field_of(learned_from(t), is_rgb(learned_from(t)));
        oracle_exact_soft(&field, t->learn, centres, k, sigma_r(t), r, sigma, pairs, histogram);
        field_free(&field);
    } else {
        oracle_pairs(t->labels, t->learn, t->width, t->height, r, k, sigma, rate, pairs, histogram);
        oracle_soften(centres, k, bands, sigma_r(t), pairs, histogram);
    }
    oracle_matrix(pairs, histogram, k, t->options.normalise, t->matrix, t->pi);
    oracle_separate(t->pi, k, t->options.separation, t->matrix);
    free(pairs);
    free(histogram);
}

static void check_matrix(const Trial *t)
{
    const double *matrix = cof_model_matrix(model_of(t)), *pi = cof_model_frequencies(model_of(t));
    for (int i = 0; i < t->k; i++)
        if (!(fabs(pi[i] - t->pi[i]) <= 1e-12 * t->pi[i]))
            fail_msg("pi[%d] is %.17g, expected %.17g", i, pi[i], t->pi[i]);
    for (int i = 0; i < t->k * t->k; i++)
        if (!(fabs(matrix[i] - t->matrix[i]) <= 1e-12 * fmax(matrix[i], t->matrix[i])))
            fail_msg("M[%d] is %.17g, expected %.17g", i, matrix[i], t->matrix[i]);
}

/* The label of working values; sets t->ambiguous if a rounding error could change it. */
static uint8_t label_of(Trial *t, const TestImage *p, const double *values, bool lab)
{
    double v[COF_MAX_BANDS];
    memcpy(v, values, (size_t)t->bands * sizeof *v);
    if (is_rgb(p) && !lab) {
        for (int c = 0; c < 3; c++)
            v[c] = values[c] / sample_max(p);
        oracle_lab(v, v);
    }
    const float *centres = cof_model_palette(model_of(t), NULL);
    double best = INFINITY, second = INFINITY;
    int label = 0;
    for (int a = 0; a < t->k; a++) {
        double d = 0;
        for (int c = 0; c < t->bands; c++)
            d += (v[c] - (double)centres[a * t->bands + c]) *
                 (v[c] - (double)centres[a * t->bands + c]);
        d = sqrt(d);
        if (d < best) {
            second = best;
            best = d;
            label = a;
        } else if (d < second) {
            second = d;
        }
    }
    if (second - best < 1e-4 * (second + best))
        t->ambiguous = true;
    return (uint8_t)label;
}

/* One pass, in place. */
static void filter_once(const Trial *t, Field *now, unsigned char *moved)
{
    const CofOptions *o = &t->options;
    int n = t->width * t->height;
    unsigned char *has_weight = calloc((size_t)n, 1);
    Field next = field_new(t->width, t->height, now->bands);
    oracle_filter(now, t->labels, t->matrix, t->k, filter_window(o) / 2, filter_sigma(o), o->border,
                  &next, has_weight);
    memcpy(now->values, next.values, (size_t)(n * now->bands) * sizeof(double));
    field_free(&next);
    for (int i = 0; i < n; i++)
        if (has_weight[i] > moved[i])
            moved[i] = has_weight[i];
    free(has_weight);
}

typedef struct Passes {
    const Trial *trial;
    unsigned char *moved;
} Passes;

static void run_passes(void *context, int passes, Field *now)
{
    const Passes *p = context;
    for (int pass = 0; pass < passes; pass++)
        filter_once(p->trial, now, p->moved);
}

/* With one palette. */
static void run_member(Trial *t, Field *now, unsigned char *moved, bool lab)
{
    const CofOptions *o = &t->options;
    size_t n = (size_t)(t->width * t->height), values = n * (size_t)now->bands;
    double *in = malloc(values * sizeof *in);
    assert_non_null(in);
    memcpy(in, now->values, values * sizeof *in);
    for (int pass = 0; pass < o->iterations; pass++) {
        if (pass > 0 && o->update != COF_UPDATE_NONE)
            for (size_t i = 0; i < n; i++)
                t->labels[i] = label_of(t, &t->in, now->values + i * (size_t)now->bands, lab);
        if (pass > 0 && o->update == COF_UPDATE_MODEL)
            compute_matrix(t);
        filter_once(t, now, moved);
    }
    oracle_correct(in, o->fidelity, o->iterations, 0, run_passes, &(Passes){t, moved}, now);
    free(in);
}

/* Weights that are nearly 0, and may be 0 in the library: a pixel of several palettes is not
 * compared then. */
enum { UNCERTAIN = 2, NOT_COMPARED = 3 };

/* The mean over all palettes that have weights for a pixel. */
static void run_oracle(Trial *t, Field *now, unsigned char *moved, bool lab)
{
    const CofOptions *o = &t->options;
    size_t n = (size_t)(t->width * t->height), bands = (size_t)now->bands;
    double *sums = calloc(n * bands, sizeof *sums), share = 1 - o->strength * (1 - o->detail);
    double *in = malloc(n * bands * sizeof *in);
    unsigned char *counts = calloc(n, 1), *own = malloc(n);
    assert_true(sums && in && counts && own);
    memcpy(in, now->values, n * bands * sizeof *in);
    for (int member = 0; member < o->palettes; member++) {
        read_labels(t, member);
        compute_matrix(t);
        check_matrix(t);
        if (!t->theme->soft)
            check_counts(t);
        memcpy(now->values, in, n * bands * sizeof *in);
        memset(own, 0, n);
        run_member(t, now, own, lab);
        for (size_t i = 0; i < n; i++) {
            counts[i] = (unsigned char)(counts[i] + (own[i] > 0));
            for (size_t band = 0; band < bands && own[i] > 0; band++)
                sums[i * bands + band] += now->values[i * bands + band];
            if (own[i] == UNCERTAIN && o->palettes > 1)
                moved[i] = NOT_COMPARED;
            else if (own[i] > moved[i])
                moved[i] = own[i];
        }
    }
    for (size_t i = 0; i < n * bands; i++) {
        double mean = counts[i / bands] > 0 ? sums[i] / counts[i / bands] : in[i];
        now->values[i] = mean + share * (in[i] - mean);
    }
    if (share == 1)
        memset(moved, 0, n);
    free(sums);
    free(in);
    free(counts);
    free(own);
}

static void run_library(Trial *t)
{
    const CofOptions *o = &t->options;
    const CofImage *guide = t->has_guide ? &t->guide.view : NULL;
    CofStatus status;
    if (t->has_labels)
        status = cof_filter_labels(t->model, &t->label_image.view, &t->in.view, &t->out.view, o);
    else if (o->update == COF_UPDATE_MODEL)
        status = cof_smooth_roi(&t->in.view, &t->roi, &t->out.view, o);
    else
        status = cof_filter(t->model, guide, &t->in.view, &t->out.view, o);
    assert_ok(status);
    test_image_check_padding(&t->out);
}

static void check_output(Trial *t)
{
    bool lab = is_rgb(&t->in) && t->options.space == COF_SPACE_LAB;
    int bands = colour_bands(&t->in);
    Field now = field_of(&t->in, lab);
    unsigned char *moved = calloc((size_t)(t->width * t->height), 1);
    const TestImage *other = t->has_guide ? &t->guide : &t->label_image;
    for (int i = 0; i < t->width * t->height && (t->has_guide || t->has_labels); i++)
        if (!has_data(other, i % t->width, i / t->width))
            now.valid[i] = 0, now.weights[i] = 0;
    run_oracle(t, &now, moved, lab);
    double tolerance = tolerance_of(&t->in);
    for (int i = 0; i < t->width * t->height && !t->ambiguous; i++) {
        int x = i % t->width, y = i / t->width;
        for (int c = 0; c < t->in.view.channels; c++) {
            bool same = test_image_bits(&t->in, x, y, c) == test_image_bits(&t->out, x, y, c);
            if (c == bands || moved[i] == 0) {
                assert_true(same);
                continue;
            }
            double value[COF_MAX_BANDS];
            memcpy(value, field_at(&now, x, y), (size_t)bands * sizeof *value);
            if (lab) {
                oracle_rgb(value, value);
                for (int j = 0; j < 3; j++)
                    value[j] *= sample_max(&t->in);
            }
            double found = test_image_get(&t->out, x, y, c),
                   wanted = expected_sample(&t->in, value[c]);
            bool close = fabs(found - wanted) <= tolerance || moved[i] == NOT_COMPARED;
            if (!close && !(moved[i] == UNCERTAIN && same))
                fail_msg("(%d, %d) channel %d is %.9g, expected %.9g", x, y, c, found, wanted);
        }
    }
    field_free(&now);
    free(moved);
}

static void run_theme(void **state)
{
    const Theme *theme = *state;
    int done = 0, empty = 0, ambiguous = 0, trials = trials_of(TRIALS_PER_THEME);
    for (uint64_t seed = 1; done < trials; seed++) {
        Trial t;
        trial_new(&t, theme, seed + 1000 * (uint64_t)(theme - themes));
        current_seed = seed;
        if (!learn(&t)) {
            empty++;
        } else {
            run_library(&t);
            check_output(&t);
            ambiguous += t.ambiguous;
            done += !t.ambiguous;
        }
        trial_free(&t);
    }
    current_seed = 0;
    print_message("%s: %d configurations agree, %d more had nothing to learn from, %d were "
                  "ambiguous\n",
                  theme->name, done, empty, ambiguous);
}

int main(void)
{
    enum { N = sizeof themes / sizeof themes[0] };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] =
            (struct CMUnitTest){themes[i].name, run_theme, NULL, name_seed, (void *)&themes[i]};
    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
