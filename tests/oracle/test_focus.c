/* SPDX-License-Identifier: BSD-2-Clause */
/* Foreground and background against their definitions, evaluated in double precision: the matte,
 * the filter that keeps the foreground, blends and tints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "oracle.h"
#include "testing.h"

#define TRIALS 120

/* Weights are floats, summed in floats: a ratio of two such sums is off by a few millionths. */
#define MATTE_TOLERANCE 1e-5

typedef struct Trial {
    Random random;
    int width, height;
    TestImage in, out, prior;
    bool has_prior;
    uint8_t *mask, *labels;
    CofOptions options;
    CofModel *foreground, *background;
} Trial;

/* Two textures, whose colours overlap, and noise. */
static void paint(Trial *t)
{
    double base[6][COF_MAX_BANDS], unit = sample_max(&t->in);
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < COF_MAX_BANDS; c++)
            base[i][c] = random_uniform(&t->random);
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++)
            for (int c = 0; c < t->in.view.channels; c++) {
                int first = x < t->width / 2 ? 0 : 2;
                int which = first + random_int(&t->random, 0, 3);
                double v = base[which][c] + 0.03 * random_normal(&t->random);
                bool alpha = c == colour_bands(&t->in);
                test_image_set(&t->in, x, y, c, unit * (alpha && v > 0.5 ? 1 : v));
            }
    if (random_chance(&t->random, 0.2))
        test_image_add_gaps(&t->in, &t->random, 0.1);
}

static void choose_options(Trial *t)
{
    CofOptions *o = &t->options;
    cof_options_init(o);
    o->window = 1 + 2 * random_int(&t->random, 1, 4);
    o->colours = random_chance(&t->random, 0.3) ? random_int(&t->random, 33, 60)
                                                : random_int(&t->random, 2, 32);
    o->levels = random_chance(&t->random, 0.5) ? 256 : random_int(&t->random, 2, 40);
    o->softness = random_chance(&t->random, 0.5) ? 0 : 0.75;
    o->normalise = random_chance(&t->random, 0.3) ? COF_NORMALISE_MARGINALS : COF_NORMALISE_COUNTS;
    o->filter_window = random_chance(&t->random, 0.5) ? 0 : 1 + 2 * random_int(&t->random, 1, 9);
    o->filter_sigma = random_chance(&t->random, 0.5) ? 0 : 0.5 + 5 * random_uniform(&t->random);
    o->border = (CofBorder)random_int(&t->random, 0, 2);
    o->space = (CofSpace)random_int(&t->random, 0, 1);
    o->iterations = random_int(&t->random, 1, 3);
    o->fidelity = random_chance(&t->random, 0.4) ? random_int(&t->random, 1, 2) : 0;
    o->likelihood = (CofLikelihood)random_int(&t->random, 0, 1);
    o->threads = random_int(&t->random, 1, 3);
}

static void choose_prior(Trial *t)
{
    static const CofSample samples[] = {COF_SAMPLE_U8, COF_SAMPLE_U16, COF_SAMPLE_F32};
    t->prior = test_image_new(&t->random, LAYOUT_ANY, t->width, t->height, 1, COF_KIND_GREY,
                              samples[random_int(&t->random, 0, 2)]);
    t->has_prior = random_chance(&t->random, 0.5);
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++)
            test_image_set(&t->prior, x, y, 0,
                           sample_max(&t->prior) * (1.2 * random_uniform(&t->random) - 0.1));
}

static bool learn(Trial *t)
{
    CofImage mask = grey_view(t->mask, t->width, t->height);
    t->options.gap = random_int(&t->random, 0, 2);
    CofStatus status =
        cof_model_learn_pair(&t->foreground, &t->background, &t->in.view, &mask, &t->options);
    assert_true(status == COF_OK || status == COF_ERR_EMPTY);
    return status == COF_OK;
}

static void trial_free(Trial *t)
{
    cof_model_free(&t->foreground);
    cof_model_free(&t->background);
    test_image_free(&t->in);
    test_image_free(&t->out);
    test_image_free(&t->prior);
    free(t->mask);
    free(t->labels);
}

/* Returns false if there was nothing to learn from. */
static bool trial_new(Trial *t, uint64_t seed)
{
    static const CofKind kinds[] = {COF_KIND_GREY, COF_KIND_RGB, COF_KIND_RGB, COF_KIND_RGBA,
                                    COF_KIND_BANDS};
    static const CofSample samples[] = {COF_SAMPLE_U8, COF_SAMPLE_U16, COF_SAMPLE_F32};
    *t = (Trial){.random = {seed}};
    t->width = random_int(&t->random, 8, 30);
    t->height = random_int(&t->random, 8, 30);
    CofKind kind = kinds[random_int(&t->random, 0, 4)];
    CofSample sample = samples[random_int(&t->random, 0, 2)];
    int channels = kind_channels(kind, random_int(&t->random, 1, 6));
    t->in = test_image_new(&t->random, LAYOUT_ANY, t->width, t->height, channels, kind, sample);
    t->out = test_image_new(&t->random, LAYOUT_ANY, t->width, t->height, channels, kind, sample);
    paint(t);
    choose_options(t);
    choose_prior(t);
    size_t n = (size_t)(t->width * t->height);
    t->mask = calloc(n, 1);
    t->labels = calloc(n, 1);
    for (size_t i = 0; i < n; i++)
        t->mask[i] = (int)(i % (size_t)t->width) < t->width / 2;
    if (!learn(t))
        return false;
    CofImage labels = grey_view(t->labels, t->width, t->height);
    assert_ok(cof_model_label(t->background, &t->in.view, &labels, &t->options));
    return true;
}

static int folded(int i, int n, CofBorder border)
{
    while (i < 0 || i >= n) {
        if (border == COF_BORDER_CLIP)
            return -1;
        int mirror = border == COF_BORDER_MIRROR;
        if (n == 1)
            return 0;
        i = i < 0 ? -i - mirror : 2 * n - 2 - i + mirror;
    }
    return i;
}

static int radius_of(const Trial *t)
{
    return (t->options.filter_window > 0 ? t->options.filter_window : t->options.window) / 2;
}

static double gauss_of(const Trial *t, int dx, int dy)
{
    double sigma = t->options.filter_sigma;
    return sigma > 0 ? exp(-(dx * dx + dy * dy) / (2 * sigma * sigma)) : 1;
}

/* The evidence for one of the two models. */
static double evidence_at(const Trial *t, const Field *field, const CofModel *model, int x, int y)
{
    int r = radius_of(t), k = cof_model_size(model), a = t->labels[y * t->width + x];
    const double *m = cof_model_matrix(model), *pi = cof_model_frequencies(model);
    double sum = 0;
    for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++) {
            int qx = folded(x + dx, t->width, t->options.border);
            int qy = folded(y + dy, t->height, t->options.border);
            if (qx < 0 || qy < 0)
                continue;
            int at = qy * t->width + qx, b = t->labels[at];
            double weight = m[a * k + b];
            if (t->options.likelihood == COF_LIKELIHOOD_JOINT)
                weight *= pi[a] * pi[b];
            sum += weight * gauss_of(t, dx, dy) * field->weights[at];
        }
    return sum;
}

static double matte_at(const Trial *t, const Field *field, int x, int y)
{
    double prior = t->has_prior ? test_image_get(&t->prior, x, y, 0) / sample_max(&t->prior) : 0.5;
    prior = fmin(fmax(prior, 0), 1);
    double alpha = prior * evidence_at(t, field, t->foreground, x, y);
    double beta = (1 - prior) * evidence_at(t, field, t->background, x, y);
    if (!field->valid[y * t->width + x])
        return 1;
    return alpha + beta > 0 ? alpha / (alpha + beta) : t->has_prior ? prior : 1;
}

static double *matte_of(const Trial *t)
{
    Field field = field_of(&t->in, false);
    double *matte = malloc((size_t)(t->width * t->height) * sizeof *matte);
    for (int i = 0; i < t->width * t->height; i++)
        matte[i] = matte_at(t, &field, i % t->width, i / t->width);
    field_free(&field);
    return matte;
}

static void check_matte(Trial *t, const double *want)
{
    static const CofSample samples[] = {COF_SAMPLE_U8, COF_SAMPLE_U16, COF_SAMPLE_F32};
    TestImage matte = test_image_new(&t->random, LAYOUT_ANY, t->width, t->height, 1, COF_KIND_GREY,
                                     samples[random_int(&t->random, 0, 2)]);
    assert_ok(cof_matte(t->foreground, t->background, t->has_prior ? &t->prior.view : NULL,
                        &t->in.view, &matte.view, &t->options));
    double max = sample_max(&matte);
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++) {
            double found = test_image_get(&matte, x, y, 0), wanted = max * want[y * t->width + x];
            double rounding = matte.view.sample == COF_SAMPLE_F32 ? 0 : 0.5;
            if (fabs(found - wanted) > rounding + max * MATTE_TOLERANCE)
                fail_msg("the matte at (%d, %d) is %.9g, expected %.9g", x, y, found, wanted);
        }
    test_image_check_padding(&matte);
    test_image_free(&matte);
}

typedef struct Passes {
    const Trial *trial;
    const double *matte;
    unsigned char *unsure;
} Passes;

/* Iterates J = (alpha I + beta CoF_B(I)) / (alpha + beta). */
static void iterate(void *context, int passes, Field *now)
{
    const Passes *p = context;
    const Trial *t = p->trial;
    int n = t->width * t->height, k = cof_model_size(t->background);
    double sigma = t->options.filter_sigma > 0 ? t->options.filter_sigma : 1e6;
    unsigned char *has_weight = calloc((size_t)n, 1);
    for (int pass = 0; pass < passes; pass++) {
        Field next = field_new(t->width, t->height, now->bands);
        oracle_filter(now, t->labels, cof_model_matrix(t->background), k, radius_of(t), sigma,
                      t->options.border, &next, has_weight);
        for (int i = 0; i < n; i++) {
            p->unsure[i] |= has_weight[i] == 2;
            for (int c = 0; c < now->bands && now->valid[i]; c++) {
                double *old = &now->values[i * now->bands + c];
                *old = p->matte[i] * *old + (1 - p->matte[i]) * next.values[i * now->bands + c];
            }
        }
        field_free(&next);
    }
    free(has_weight);
}

/* All passes, and the rounds of residual correction. */
static Field focused(const Trial *t, const double *matte, bool lab, unsigned char *unsure)
{
    Field now = field_of(&t->in, lab), in = field_of(&t->in, lab);
    Passes passes = {t, matte, unsure};
    iterate(&passes, t->options.iterations, &now);
    oracle_correct(in.values, t->options.fidelity, t->options.iterations, 0, iterate, &passes,
                   &now);
    field_free(&in);
    return now;
}

static void compare(const Trial *t, const Field *want, bool lab, const unsigned char *unsure)
{
    int bands = colour_bands(&t->in);
    double tolerance = tolerance_of(&t->in);
    for (int i = 0; i < t->width * t->height; i++) {
        int x = i % t->width, y = i / t->width;
        for (int c = 0; c < t->in.view.channels; c++) {
            bool same = test_image_bits(&t->in, x, y, c) == test_image_bits(&t->out, x, y, c);
            if (c == bands || !want->valid[i]) {
                assert_true(same);
                continue;
            }
            double value[COF_MAX_BANDS];
            memcpy(value, field_at(want, x, y), (size_t)bands * sizeof *value);
            if (lab) {
                oracle_rgb(value, value);
                for (int j = 0; j < 3; j++)
                    value[j] *= sample_max(&t->in);
            }
            double found = test_image_get(&t->out, x, y, c);
            double wanted = expected_sample(&t->in, value[c]);
            if (fabs(found - wanted) > tolerance && !unsure[i])
                fail_msg("(%d, %d) channel %d is %.9g, expected %.9g", x, y, c, found, wanted);
        }
    }
    test_image_check_padding(&t->out);
}

static void check_focus(Trial *t, const double *matte)
{
    bool lab = is_rgb(&t->in) && t->options.space == COF_SPACE_LAB;
    unsigned char *unsure = calloc((size_t)(t->width * t->height), 1);
    assert_ok(cof_focus(t->foreground, t->background, t->has_prior ? &t->prior.view : NULL, NULL,
                        &t->in.view, &t->out.view, &t->options));
    Field want = focused(t, matte, lab, unsure);
    compare(t, &want, lab, unsure);
    field_free(&want);
    free(unsure);
}

/* Flips the image vertically. */
static void check_blend(Trial *t)
{
    bool lab = is_rgb(&t->in) && t->options.space == COF_SPACE_LAB;
    TestImage other = test_image_new(&t->random, LAYOUT_ANY, t->width, t->height,
                                     t->in.view.channels, t->in.view.kind, t->in.view.sample);
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++)
            for (int c = 0; c < t->in.view.channels; c++)
                test_image_set(&other, x, t->height - 1 - y, c, test_image_get(&t->in, x, y, c));
    assert_ok(cof_blend(&t->prior.view, &t->in.view, &other.view, &t->out.view, &t->options));
    Field want = field_of(&t->in, lab), second = field_of(&other, lab);
    unsigned char *unsure = calloc((size_t)(t->width * t->height), 1);
    for (int i = 0; i < t->width * t->height; i++) {
        double matte =
            test_image_get(&t->prior, i % t->width, i / t->width, 0) / sample_max(&t->prior);
        matte = fmin(fmax(matte, 0), 1);
        for (int c = 0; c < want.bands && want.valid[i] && second.valid[i]; c++) {
            double *value = &want.values[i * want.bands + c];
            *value = matte * *value + (1 - matte) * second.values[i * want.bands + c];
        }
    }
    compare(t, &want, lab, unsure);
    free(unsure);
    field_free(&want);
    field_free(&second);
    test_image_free(&other);
}

static void check_tint(Trial *t)
{
    double colour[3], lab[3], mean = 0, sum = 0, count = 0;
    for (int i = 0; i < 3; i++)
        colour[i] = random_uniform(&t->random);
    oracle_lab(colour, lab);
    Field want = field_of(&t->in, true);
    unsigned char *unsure = calloc((size_t)(t->width * t->height), 1);
    for (int i = 0; i < t->width * t->height; i++)
        if (want.weights[i] > 0 && want.valid[i]) {
            sum += hypot(want.values[3 * i + 1], want.values[3 * i + 2]);
            count++;
        }
    assert_ok(cof_mean_chroma(&t->in.view, NULL, &mean, &t->options));
    assert_true(fabs(mean - sum / count) <= 1e-4 * (1 + mean));
    double chroma = random_chance(&t->random, 0.5) ? 0 : mean;
    assert_ok(cof_tint(&t->in.view, colour, chroma, &t->out.view, &t->options));
    for (int i = 0; i < t->width * t->height; i++) {
        double *v = &want.values[3 * i];
        double strength = chroma > 0 ? fmin(2, hypot(v[1], v[2]) / chroma) : 1;
        v[1] = strength * lab[1];
        v[2] = strength * lab[2];
    }
    compare(t, &want, true, unsure);
    free(unsure);
    field_free(&want);
}

static void agrees_with_the_definitions(void **state)
{
    (void)state;
    int run = 0, trials = trials_of(TRIALS);
    for (uint64_t seed = 1; run < trials; seed++) {
        Trial t;
        if (trial_new(&t, seed)) {
            run++;
            double *matte = matte_of(&t);
            check_matte(&t, matte);
            check_focus(&t, matte);
            check_blend(&t);
            if (is_rgb(&t.in))
                check_tint(&t);
            free(matte);
        }
        trial_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_definitions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
