/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares two-scale filtering with naive downscaling and upscaling in double precision around
 * ordinary passes. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "downscale.h"
#include "testing.h"

/* The fixed part of a random configuration. */
typedef struct Theme {
    const char *name;
    CofKind kind;
    bool guide, relabel, sparse;
} Theme;

#define TRIALS_PER_THEME 25

#define MAX_PIXELS 2000 /* windows may be as wide as the image */

/* Relative to the largest possible weight: smaller weights vanish in single precision. */
#define MIN_VISIBLE_WEIGHT 1e-15

static const Theme themes[] = {
    {"grey", .kind = COF_KIND_GREY},
    {"grey_alpha", .kind = COF_KIND_GREY_ALPHA},
    {"rgb", .kind = COF_KIND_RGB},
    {"rgba", .kind = COF_KIND_RGBA},
    {"bands", .kind = COF_KIND_BANDS},
    {"guided_rgb", .kind = COF_KIND_RGB, .guide = true},
    {"guided_rgba", .kind = COF_KIND_RGBA, .guide = true},
    {"guided_bands", .kind = COF_KIND_BANDS, .guide = true},
    {"relabelled_grey", .kind = COF_KIND_GREY, .relabel = true},
    {"relabelled_rgba", .kind = COF_KIND_RGBA, .relabel = true},
    {"mostly_empty", .kind = COF_KIND_RGBA, .sparse = true},
};

/* One random configuration with its inputs and results. */
typedef struct Trial {
    Random random;
    const Theme *theme;
    int n, learned; /* factors of the filter and of the model */
    int width, height;
    bool has_guide, has_mask;
    TestImage in, guide, out, mask, small_mask;
    CofRoi roi, small_roi;
    CofOptions options;
    CofReport report;
    CofModel *model, *plain; /* plain: learned from the downscaled image itself */
    TestImage training;      /* downscaled by the model's factor */
    TestImage small, small_guide, large, expected;
    double changes[64]; /* of each expected pass */
    int passes, fast_terms, fast_cell;
    bool known[COF_MAX_COLOURS]; /* labels that have statistics, or could have */
    uint8_t *labels;             /* of the last pass */
    bool ambiguous;              /* labels depend on the rounding of a sample */
} Trial;

/* The rectangle of all cells that contain a pixel of the region. */
static CofRect downscaled_region(const Trial *t)
{
    CofRect r = t->roi.region;
    int right = min_int(r.x + r.width, t->width), bottom = min_int(r.y + r.height, t->height);
    CofRect small = {r.x / t->learned, r.y / t->learned, 0, 0};
    while (t->learned * (small.x + small.width) < right)
        small.width++;
    while (t->learned * (small.y + small.height) < bottom)
        small.height++;
    return r.width == 0 ? (CofRect){0} : small;
}

/* Fills patches of a few values, smaller or larger than a cell, with noise. */
static void fill_patches(Trial *t, TestImage *p)
{
    double base[5][COF_MAX_BANDS], unit = sample_max(p);
    bool anything = p->view.sample == COF_SAMPLE_F32 && p->view.kind == COF_KIND_BANDS;
    double scale = anything ? pow(10, random_int(&t->random, -6, 6)) : unit;
    double noise = random_chance(&t->random, 0.2) ? 0 : 0.2 * random_uniform(&t->random);
    int patch = random_int(&t->random, 1, 3 * t->n), bases = random_int(&t->random, 1, 5);
    for (int i = 0; i < 5 * COF_MAX_BANDS; i++)
        base[i / COF_MAX_BANDS][i % COF_MAX_BANDS] = random_uniform(&t->random);
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++)
            for (int c = 0; c < p->view.channels; c++) {
                int which = (x / patch * 7 + y / patch * 13) % bases;
                double v = base[which][c] + noise * random_normal(&t->random);
                test_image_set(p, x, y, c, v * scale);
            }
}

static void fill_alpha(Trial *t, TestImage *p)
{
    double clear = t->theme->sparse ? 0.95 : 0.2;
    int patch = random_int(&t->random, 1, 2 * t->n);
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++) {
            double choice = random_uniform(&t->random), alpha = random_uniform(&t->random);
            if ((x / patch + y / patch) % 3 == 0)
                choice /= 2;
            test_image_set(p, x, y, p->view.channels - 1,
                           sample_max(p) * (choice < clear ? 0
                                            : choice < 0.7 ? 1
                                                           : 1.4 * alpha - 0.2));
        }
}

/* Adds holes that are larger than a cell, and non-finite samples. */
static void add_holes(Trial *t, TestImage *p)
{
    Random *r = &t->random;
    int x0 = random_int(r, 0, t->width - 1), y0 = random_int(r, 0, t->height - 1);
    if (random_chance(r, 0.4)) {
        test_image_add_gaps(p, r, t->theme->sparse ? 0.7 : 0.2);
        for (int y = y0; y < min_int(y0 + 3 * t->n, t->height); y++)
            for (int x = x0; x < min_int(x0 + 3 * t->n, t->width); x++)
                p->valid[y * p->view.valid_stride + x] = 0;
    }
    for (int i = 0; i < 6 && p->view.sample == COF_SAMPLE_F32; i++)
        test_image_set(p, random_int(r, 0, t->width - 1), random_int(r, 0, t->height - 1),
                       random_int(r, 0, p->view.channels - 1), i % 2 == 0 ? NAN : INFINITY);
}

static TestImage random_test_image(Trial *t, CofKind kind)
{
    int bands = random_chance(&t->random, 0.1) ? random_int(&t->random, 1, COF_MAX_BANDS)
                                               : random_int(&t->random, 1, 5);
    TestImage p =
        test_image_new(&t->random, LAYOUT_ANY, t->width, t->height, kind_channels(kind, bands),
                       kind, (CofSample)random_int(&t->random, 0, 2));
    fill_patches(t, &p);
    if (has_alpha(&p))
        fill_alpha(t, &p);
    if (random_chance(&t->random, 0.5))
        add_holes(t, &p);
    return p;
}

/* Chooses a mask of noise, a few pixels or large areas, and a region. */
static void choose_roi(Trial *t)
{
    Random *r = &t->random;
    t->has_mask = random_chance(r, 0.4);
    if (t->has_mask) {
        t->mask =
            test_image_new(r, LAYOUT_ANY, t->width, t->height, 1, COF_KIND_GREY, COF_SAMPLE_U8);
        double share = random_chance(r, 0.3) ? 0.05 : 0.5;
        bool areas = random_chance(r, 0.5);
        for (int y = 0; y < t->height; y++)
            for (int x = 0; x < t->width; x++)
                test_image_set(
                    &t->mask, x, y, 0,
                    random_chance(r, share) || (areas && x % 13 > 3) ? random_int(r, 1, 255) : 0);
        t->roi.mask = &t->mask.view;
        t->small_mask = downscaled_mask(r, &t->mask, t->learned);
        t->small_roi.mask = &t->small_mask.view;
    }
    if (random_chance(r, 0.3))
        t->roi.region = (CofRect){random_int(r, 0, t->width - 1), random_int(r, 0, t->height - 1),
                                  random_int(r, 1, t->width + 3), random_int(r, 1, t->height + 3)};
    t->small_roi.region = downscaled_region(t);
}

static void choose_options(Trial *t)
{
    CofOptions *o = &t->options;
    Random *r = &t->random;
    cof_options_init(o);
    assert_ok(cof_options_set_variant(o, (CofVariant)random_int(r, 0, 2), NULL));
    o->colours = random_int(r, 1, 24);
    o->levels = random_chance(r, 0.3) ? 256 : random_int(r, 2, 40);
    o->window = 2 * random_int(r, 0, 4) + 1;
    if (random_chance(r, 0.3))
        o->sigma = 0.5 + 4 * random_uniform(r);
    if (random_chance(r, 0.5))
        o->softness = 2 * random_uniform(r);
    if (random_chance(r, 0.3))
        o->filter_window = 2 * random_int(r, 0, random_chance(r, 0.1) ? 60 : 6) + 1;
    if (random_chance(r, 0.3))
        o->filter_sigma = 0.5 + 4 * random_uniform(r);
    if (random_chance(r, 0.6))
        o->border = (CofBorder)random_int(r, 0, 2);
    o->space = random_chance(r, 0.3) ? COF_SPACE_NATIVE : COF_SPACE_LAB;
    o->update = t->theme->relabel ? COF_UPDATE_LABELS : COF_UPDATE_NONE;
    o->iterations = random_int(r, 1, 4);
    o->tolerance = random_chance(r, 0.2) ? 100 * random_uniform(r) : 0;
    o->method = (CofMethod)random_int(r, 0, 2);
    if (t->in.view.sample == COF_SAMPLE_F32 && !t->theme->relabel && random_chance(r, 0.5)) {
        o->fidelity = random_int(r, 1, COF_MAX_FIDELITY); /* compared without rounding */
        o->method = COF_METHOD_EXACT;
        o->tolerance = 0;
    }
    o->downscale = t->learned;
    o->filter_downscale = t->learned == t->n ? 0 : t->n;
    o->threads = random_int(r, 1, 3);
    o->report = &t->report;
}

/* A random side length: often no multiple of the cell size, sometimes less than a cell or 1. */
static int random_side(Random *r, int n)
{
    double chance = random_uniform(r);
    return chance < 0.1 ? 1 : chance < 0.2 ? random_int(r, 1, n) : random_int(r, 1, 7 * n);
}

static void trial_new(Trial *t, const Theme *theme, uint64_t seed)
{
    *t = (Trial){.random = {seed * 2654435761u + 29}, .theme = theme};
    Random *r = &t->random;
    t->n = random_chance(r, 0.05) ? COF_MAX_DOWNSCALE : random_int(r, 2, 9);
    t->learned = random_chance(r, 0.6) ? t->n : random_int(r, 1, 6);
    t->width = min_int(random_side(r, t->n), 110);
    t->height = min_int(random_side(r, t->n), 1 + MAX_PIXELS / t->width);
    t->report.struct_size = sizeof t->report;
    t->in = random_test_image(t, theme->kind);
    t->has_guide = theme->guide;
    if (t->has_guide)
        t->guide = random_test_image(t, (CofKind)random_int(r, 0, 4));
    t->out = test_image_new(r, LAYOUT_ANY, t->width, t->height, t->in.view.channels,
                            t->in.view.kind, t->in.view.sample);
    t->expected = test_image_new(r, LAYOUT_ANY, t->width, t->height, t->in.view.channels,
                                 t->in.view.kind, t->in.view.sample);
    choose_roi(t);
    choose_options(t);
    t->small = downscaled(r, &t->in, t->n);
    if (t->has_guide)
        t->small_guide = downscaled(r, &t->guide, t->n);
    t->training = downscaled(r, t->has_guide ? &t->guide : &t->in, t->learned);
    t->labels = calloc((size_t)t->width, (size_t)t->height);
    assert_non_null(t->labels);
}

static void trial_free(Trial *t)
{
    TestImage *all[] = {&t->in,    &t->guide,       &t->out,   &t->mask,     &t->small_mask,
                        &t->small, &t->small_guide, &t->large, &t->expected, &t->training};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        test_image_free(all[i]);
    cof_model_free(&t->model);
    cof_model_free(&t->plain);
    free(t->labels);
}

/* Saves without the factor of downscaling and the checksum. */
static void *save_learned(const CofStats *stats, size_t *size)
{
    enum { DOWNSCALE = 24 + 16, CHECKSUM = 4 };
    void *bytes = NULL;
    assert_ok(cof_stats_save(stats, &bytes, size, NULL));
    ((char *)bytes)[DOWNSCALE] = 0;
    memset((char *)bytes + *size - CHECKSUM, 0, CHECKSUM);
    return bytes;
}

static void assert_learned_alike(const CofStats *a, const CofStats *b)
{
    size_t size_a, size_b;
    void *bytes_a = save_learned(a, &size_a), *bytes_b = save_learned(b, &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    cof_free(bytes_a);
    cof_free(bytes_b);
}

/* Learns from the whole image and from the naively downscaled image, and compares all bytes.
 * Returns false if neither has anything to learn from. */
static bool check_learning(Trial *t)
{
    CofStats *stats = NULL, *expected = NULL;
    CofOptions plain = t->options;
    plain.downscale = 1;
    plain.threads = 2;
    CofStatus status =
        learn_from(t->has_guide ? &t->guide.view : &t->in.view, &t->roi, &t->options, &stats);
    assert_status(learn_from(&t->training.view, &t->small_roi, &plain, &expected), status);
    assert_learned_alike(stats, expected);
    if (status == COF_OK)
        status = cof_model_new(&t->model, stats, &t->options);
    if (status == COF_OK)
        assert_ok(cof_model_new(&t->plain, expected, &t->options));
    assert_true(status == COF_OK || status == COF_ERR_EMPTY);
    cof_stats_free(&stats);
    cof_stats_free(&expected);
    return status == COF_OK;
}

/* The presets' rule for sigma, in pixels of the downscaled image. */
static double small_sigma(const Trial *t, int window)
{
    const CofOptions *o = &t->options;
    double wide = 2 * sqrt(window) + 1;
    if (o->filter_sigma > 0)
        return o->filter_sigma;
    if (o->variant != COF_VARIANT_PAPER)
        return wide;
    CofOptions recipe = *o;
    cof_model_options(t->model, &recipe);
    return o->filter_window > 0 ? sqrt(wide) : recipe.sigma;
}

static CofOptions last_options(const Trial *t)
{
    CofOptions last = t->options;
    int window = last.filter_window > 0 ? last.filter_window : last.window;
    last.filter_sigma = t->n * small_sigma(t, window);
    last.filter_window = min_int(window / 2 * t->n, COF_MAX_FILTER_WINDOW / 2) * 2 + 1;
    last.filter_downscale = 1;
    last.iterations = 1;
    last.fidelity = 0;
    return last;
}

static void note_passes(Trial *t, const CofReport *report)
{
    memcpy(t->changes + t->passes, report->change, (size_t)report->passes * sizeof *t->changes);
    t->passes += report->passes;
    t->fast_terms = report->fast_terms;
    t->fast_cell = report->fast_cell;
}

/* Notes the labels of visible pixels. */
static void note_labels_of(Trial *t, const TestImage *p, bool with_frequency)
{
    int width = p->view.width, height = p->view.height;
    uint8_t *labels = calloc((size_t)width, (size_t)height);
    assert_non_null(labels);
    CofImage view = grey_view(labels, width, height);
    assert_ok(cof_model_label(t->model, &p->view, &view, NULL));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int label = labels[y * width + x];
            t->known[label] |= weight_of(p, x, y) > 0 &&
                               (!with_frequency || cof_model_frequencies(t->model)[label] > 0);
        }
    free(labels);
}

/* Labels are known if they occur at the model's scale, or at the filter's and in the model. */
static void note_labels(Trial *t)
{
    note_labels_of(t, &t->training, false);
    note_labels_of(t, t->has_guide ? &t->small_guide : &t->small, true);
}

/* The nearest label that is known. */
static uint8_t synonym(const Trial *t, uint8_t label)
{
    int bands;
    const float *centres = cof_model_palette(t->model, &bands);
    double least = HUGE_VAL;
    uint8_t nearest = label;
    for (int k = 0; k < cof_model_size(t->model) && !t->known[label]; k++) {
        double sum = 0;
        for (int band = 0; band < bands; band++)
            sum +=
                pow((double)centres[k * bands + band] - (double)centres[label * bands + band], 2);
        if (t->known[k] && sum < least) {
            least = sum;
            nearest = (uint8_t)k;
        }
    }
    return nearest;
}

typedef struct SmallPasses {
    const Trial *trial;
    const uint8_t *labels;
} SmallPasses;

/* Passes over the downscaled image, in double precision. */
static void run_small(void *context, int passes, Field *now)
{
    const SmallPasses *p = context;
    const CofOptions *o = &p->trial->options;
    const CofModel *model = p->trial->plain;
    int window = o->filter_window > 0 ? o->filter_window : o->window;
    size_t n = (size_t)now->width * (size_t)now->height;
    unsigned char *has_weight = calloc(n, 1);
    assert_non_null(has_weight);
    for (int pass = 0; pass < passes; pass++) {
        Field next = field_new(now->width, now->height, now->bands);
        oracle_filter(now, p->labels, cof_model_matrix(model), cof_model_size(model), window / 2,
                      small_sigma(p->trial, window), o->border, &next, has_weight);
        memcpy(now->values, next.values, n * (size_t)now->bands * sizeof *now->values);
        field_free(&next);
    }
    free(has_weight);
}

static void write_field(const Field *field, TestImage *image, bool lab)
{
    for (int i = 0; i < field->width * field->height; i++) {
        int x = i % field->width, y = i / field->width;
        double value[COF_MAX_BANDS];
        memcpy(value, field_at(field, x, y), (size_t)field->bands * sizeof *value);
        if (lab)
            oracle_rgb(value, value);
        for (int c = 0; c < field->bands && has_data(image, x, y); c++)
            test_image_set(image, x, y, c, value[c]);
    }
}

/* All passes but the last with residual correction. */
static void filter_and_correct(Trial *t)
{
    bool lab = is_rgb(&t->in) && t->options.space == COF_SPACE_LAB;
    Field now = field_of(&t->small, lab);
    size_t n = (size_t)(now.width * now.height), values = n * (size_t)now.bands;
    uint8_t *labels = calloc(n, 1);
    double *in = malloc(values * sizeof *in);
    assert_true(labels && in);
    memcpy(in, now.values, values * sizeof *in);
    CofImage view = grey_view(labels, now.width, now.height);
    const TestImage *labelled = t->has_guide ? &t->small_guide : &t->small;
    assert_ok(cof_model_label(t->plain, &labelled->view, &view, NULL));
    for (size_t i = 0; i < n; i++)
        if (!has_data(labelled, (int)i % now.width, (int)i / now.width))
            now.valid[i] = 0, now.weights[i] = 0;
    SmallPasses passes = {t, labels};
    int first = t->options.iterations - 1;
    run_small(&passes, first, &now);
    /* One pass more stands for the last pass at full size. */
    oracle_correct(in, t->options.fidelity, first, 1, run_small, &passes, &now);
    write_field(&now, &t->small, lab);
    field_free(&now);
    free(labels);
    free(in);
}

/* If the result is to be corrected, the library's passes are compared by their changes alone. */
static void filter_small(Trial *t)
{
    CofReport report = {.struct_size = sizeof report};
    CofOptions plain = t->options;
    plain.iterations--;
    plain.fidelity = 0;
    plain.filter_downscale = 1;
    plain.report = &report;
    const CofImage *small = &t->small.view;
    TestImage out = test_image_new(&t->random, LAYOUT_ANY, small->width, small->height,
                                   small->channels, small->kind, small->sample);
    test_image_copy(&out, &t->small);
    if (plain.iterations > 0) {
        assert_ok(cof_filter(t->plain, t->has_guide ? &t->small_guide.view : NULL, small, &out.view,
                             &plain));
        note_passes(t, &report);
    }
    if (t->options.fidelity > 0)
        filter_and_correct(t);
    else
        test_image_copy(&t->small, &out);
    test_image_free(&out);
}

static void read_labels(Trial *t, const TestImage *p, uint8_t *labels)
{
    CofImage view = grey_view(labels, t->width, t->height);
    assert_ok(cof_model_label(t->model, &p->view, &view, NULL));
}

/* Labels of the upscaled image are certain if none depends on a sample near the midpoint of two
 * values. */
static void label_large(Trial *t)
{
    uint8_t *other = calloc((size_t)t->width, (size_t)t->height);
    assert_non_null(other);
    read_labels(t, &t->large, t->labels);
    for (int sign = -1; sign <= 1; sign += 2) {
        TestImage nudged = upscaled(&t->random, &t->small, t->n, &t->in, 8 * sign);
        read_labels(t, &nudged, other);
        t->ambiguous |= memcmp(t->labels, other, (size_t)(t->width * t->height)) != 0;
        test_image_free(&nudged);
    }
    free(other);
}

static void filter_large(Trial *t)
{
    CofReport report = {.struct_size = sizeof report};
    CofOptions last = last_options(t);
    last.report = &report;
    last.threads = 2;
    const TestImage *labelled = t->has_guide ? &t->guide : &t->in;
    t->large = upscaled(&t->random, &t->small, t->n, &t->in, 0);
    if (t->theme->relabel)
        label_large(t);
    else
        read_labels(t, labelled, t->labels);
    uint8_t *valid = calloc((size_t)t->width, (size_t)t->height);
    assert_non_null(valid);
    for (int i = 0; i < t->width * t->height; i++) {
        t->labels[i] = synonym(t, t->labels[i]);
        valid[i] = has_data(labelled, i % t->width, i / t->width);
    }
    CofImage view = grey_view(t->labels, t->width, t->height);
    view.valid = valid;
    last.update = COF_UPDATE_NONE;
    assert_ok(cof_filter_labels(t->plain, &view, &t->large.view, &t->expected.view, &last));
    note_passes(t, &report);
    free(valid);
}

static bool is_visible(const Trial *t, int x, int y)
{
    return has_data(&t->in, x, y) && (!t->has_guide || has_data(&t->guide, x, y));
}

/* The largest weight of a pixel within a radius, relative to the largest possible weight. Mirrored
 * border pixels are in the image as well. */
static double max_weight(const Trial *t, int x, int y, int radius, double sigma)
{
    int k = cof_model_size(t->model);
    const double *row = cof_model_matrix(t->model) + t->labels[y * t->width + x] * k;
    double largest = 0, most = 0;
    for (int b = 0; b < k; b++)
        largest = fmax(largest, row[b]);
    int left = clamp_index(x - radius, t->width), right = clamp_index(x + radius, t->width);
    int top = clamp_index(y - radius, t->height), bottom = clamp_index(y + radius, t->height);
    for (int j = top; j <= bottom && largest > 0; j++)
        for (int i = left; i <= right && most < MIN_VISIBLE_WEIGHT; i++) {
            double m = row[t->labels[j * t->width + i]] / largest;
            double square = (i - x) * (i - x) + (j - y) * (j - y);
            if (m > 0 && is_visible(t, i, j))
                most = fmax(most, m * exp(-square / (2 * sigma * sigma)) * weight_of(&t->in, i, j) /
                                      sample_max(&t->in));
        }
    return most;
}

typedef enum Mixing { NOTHING, SOMETHING, PERHAPS, UNKNOWN } Mixing;

/* The fast method only approximates the colours of transparent pixels. */
static bool is_guess(const Trial *t, int x, int y)
{
    return t->fast_terms > 0 && weight_of(&t->in, x, y) <= 0;
}

/* Does any pixel have a weight for this one? Single precision may lose tiny weights, and the fast
 * method may reach beyond the window. */
static Mixing mixing_of(const Trial *t, int x, int y, const CofOptions *last, int reach)
{
    if (!is_visible(t, x, y))
        return NOTHING;
    if (is_guess(t, x, y))
        return UNKNOWN;
    if (max_weight(t, x, y, last->filter_window / 2, last->filter_sigma) >= MIN_VISIBLE_WEIGHT)
        return SOMETHING;
    return max_weight(t, x, y, reach, last->filter_sigma) > 0 ? PERHAPS : NOTHING;
}

static void check_pixel(const Trial *t, int x, int y, Mixing mixing, double tolerance)
{
    for (int c = 0; c < t->in.view.channels; c++) {
        bool same = test_image_bits(&t->in, x, y, c) == test_image_bits(&t->out, x, y, c);
        if (c == colour_bands(&t->in) || mixing == NOTHING) {
            if (!same)
                fail_msg("(%d, %d) channel %d is no longer the same", x, y, c);
            continue;
        }
        double found = test_image_get(&t->out, x, y, c),
               wanted = test_image_get(&t->expected, x, y, c);
        bool may_differ = mixing == UNKNOWN || (mixing == PERHAPS && same);
        if (!(fabs(found - wanted) <= tolerance) && !may_differ)
            fail_msg("(%d, %d) channel %d is %.9g, expected %.9g", x, y, c, found, wanted);
    }
}

/* Returns the number of isolated pixels, which no other pixel has a weight for. */
static int check_output(const Trial *t)
{
    CofOptions last = last_options(t);
    double tolerance = tolerance_of(&t->in);
    int isolated = 0, reach = margin_of(t->plain, &last);
    test_image_check_padding(&t->out);
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++) {
            Mixing mixing = mixing_of(t, x, y, &last, reach);
            check_pixel(t, x, y, mixing, tolerance);
            isolated += mixing == NOTHING && is_visible(t, x, y);
        }
    return isolated;
}

/* Tolerance in 8-bit units: the input of the last pass may be rounded differently. */
static double change_tolerance(const Trial *t)
{
    bool anything = t->in.view.sample == COF_SAMPLE_F32 && t->in.view.kind == COF_KIND_BANDS;
    return tolerance_of(&t->in) * (anything ? 1 : 255 / sample_max(&t->in));
}

static void check_report(const Trial *t)
{
    const CofReport *report = &t->report;
    assert_int_equal(report->passes, t->passes);
    assert_int_equal(report->fast_terms, t->fast_terms);
    assert_int_equal(report->fast_cell, t->fast_cell);
    bool guesses = t->fast_terms > 0 && has_alpha(&t->in);
    for (int pass = 0; pass < t->passes - guesses; pass++) {
        double found = report->change[pass], wanted = t->changes[pass];
        double tolerance = pass == t->passes - 1 ? change_tolerance(t) : 0;
        if (!(fabs(sqrt(found) - sqrt(wanted)) <= tolerance))
            fail_msg("change %d of %d is %.9g, expected %.9g", pass, t->passes, found, wanted);
    }
}

/* Checks that one call and an in-place call give the same bytes. */
static void check_other_ways(Trial *t)
{
    TestImage once = test_image_new(&t->random, LAYOUT_ANY, t->width, t->height,
                                    t->in.view.channels, t->in.view.kind, t->in.view.sample);
    if (!t->has_guide) {
        assert_ok(cof_smooth_roi(&t->in.view, &t->roi, &once.view, &t->options));
        assert_true(test_image_equal(&once, &t->out));
        test_image_check_padding(&once);
    }
    assert_ok(cof_filter(t->model, t->has_guide ? &t->guide.view : NULL, &t->in.view, &t->in.view,
                         &t->options));
    assert_true(test_image_equal(&t->in, &t->out));
    test_image_check_padding(&t->in);
    test_image_free(&once);
}

static void run_theme(void **state)
{
    const Theme *theme = *state;
    int done = 0, empty = 0, ambiguous = 0, isolated = 0, trials = trials_of(TRIALS_PER_THEME);
    for (uint64_t seed = 1; done < trials; seed++) {
        Trial t;
        current_seed = seed;
        trial_new(&t, theme, seed + 1000 * (uint64_t)(theme - themes));
        if (!check_learning(&t)) {
            empty++;
        } else {
            note_labels(&t);
            filter_small(&t);
            filter_large(&t);
            ambiguous += t.ambiguous;
            done += !t.ambiguous;
            const CofImage *guide = t.has_guide ? &t.guide.view : NULL;
            assert_ok(cof_filter(t.model, guide, &t.in.view, &t.out.view, &t.options));
            if (!t.ambiguous) {
                isolated += check_output(&t);
                check_report(&t);
            }
            check_other_ways(&t);
        }
        trial_free(&t);
    }
    current_seed = 0;
    print_message("%s: %d configurations agree, %d more had nothing to learn from, %d were "
                  "ambiguous; %d pixels mix with nothing\n",
                  theme->name, done, empty, ambiguous, isolated);
}

/* With an argument, runs only the themes whose names match it. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    enum { N = sizeof themes / sizeof themes[0] };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] =
            (struct CMUnitTest){themes[i].name, run_theme, NULL, name_seed, (void *)&themes[i]};
    return cmocka_run_group_tests_name("two_scale", tests, NULL, NULL);
}
