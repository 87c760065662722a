/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares refinement, and filtering of the downscaled image, with naive downscaling and naive
 * local linear models in double precision around ordinary passes. With COF_TEST_DEVICE in the
 * environment, all calls use the first OpenCL device. */
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
#define TRIALS_ON_DEVICE 10

#define MAX_PIXELS 2000 /* windows may be as wide as the image */

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

static CofContext *device; /* NULL: the CPU */

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
    TestImage small, small_guide, filtered;
    uint8_t *labels; /* of the downscaled guide or input */
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
    if (device) /* which compiles each grid of the fast method */
        o->method = COF_METHOD_EXACT;
    if (!t->theme->relabel && o->tolerance == 0)
        o->fidelity = random_chance(r, 0.2) ? random_int(r, 1, COF_MAX_FIDELITY) : 0;
    o->refine = t->n > 1 && random_chance(r, 0.3) ? 0
                : random_chance(r, 0.1)           ? COF_MAX_REFINE
                                                  : random_int(r, 1, 4);
    if (random_chance(r, 0.3)) {
        o->strength = random_uniform(r);
        o->detail = 2 * random_uniform(r) - 1;
    }
    o->downscale = t->learned;
    o->filter_downscale = t->learned == t->n ? 0 : t->n;
    o->threads = random_int(r, 1, 3);
    o->context = device;
    o->report = &t->report;
}

/* A random side length: often no multiple of the cell size, sometimes less than a cell or 1. */
static int random_side(Random *r, int n)
{
    double chance = random_uniform(r);
    return chance < 0.1 ? 1 : chance < 0.2 ? random_int(r, 1, n) : random_int(r, 1, 7 * n);
}

/* Downscaled, or the same: averages of single transparent pixels lose their colours. */
static TestImage at_scale(Random *r, const TestImage *image, int n)
{
    if (n > 1)
        return downscaled(r, image, n);
    TestImage same = test_image_like(image);
    test_image_copy(&same, image);
    if (image->valid) {
        test_image_add_gaps(&same, r, 0);
        for (int y = 0; y < image->view.height; y++)
            for (int x = 0; x < image->view.width; x++)
                same.valid[y * same.view.valid_stride + x] =
                    image->valid[y * image->view.valid_stride + x];
    }
    return same;
}

static void trial_new(Trial *t, const Theme *theme, uint64_t seed)
{
    *t = (Trial){.random = {seed * 2654435761u + 29}, .theme = theme};
    Random *r = &t->random;
    t->n = random_chance(r, 0.05)  ? COF_MAX_DOWNSCALE
           : random_chance(r, 0.4) ? 1
                                   : random_int(r, 2, 9);
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
    choose_roi(t);
    choose_options(t);
    t->small = at_scale(r, &t->in, t->n);
    if (t->has_guide)
        t->small_guide = at_scale(r, &t->guide, t->n);
    t->training = downscaled(r, t->has_guide ? &t->guide : &t->in, t->learned);
}

static void trial_free(Trial *t)
{
    TestImage *all[] = {&t->in,    &t->guide,       &t->out,      &t->mask,    &t->small_mask,
                        &t->small, &t->small_guide, &t->filtered, &t->training};
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

/* All passes, as other tests check them. */
static void filter_small(Trial *t)
{
    CofOptions plain = t->options;
    plain.filter_downscale = 1;
    plain.refine = 0;
    plain.strength = 1;
    plain.detail = 0;
    plain.report = NULL;
    plain.threads = 2;
    const TestImage *labelled = t->has_guide ? &t->small_guide : &t->small;
    t->labels = calloc((size_t)t->small.view.width, (size_t)t->small.view.height);
    assert_non_null(t->labels);
    CofImage view = grey_view(t->labels, t->small.view.width, t->small.view.height);
    assert_ok(cof_model_label(t->model, &labelled->view, &view, NULL));
    t->filtered = test_image_like(&t->small);
    assert_ok(cof_filter(t->plain, t->has_guide ? &t->small_guide.view : NULL, &t->small.view,
                         &t->filtered.view, &plain));
}

/* Values of a channel become (value - middle) / range. */
typedef struct Scale {
    double middle, range;
} Scale;

/* What the models are functions of: Lab; else values of the palette's range; else samples. */
static Scale scale_of(const Trial *t, const TestImage *p, bool lab, int channel)
{
    int bands, k = cof_model_size(t->model);
    const float *centres = cof_model_palette(t->model, &bands);
    double low = HUGE_VAL, high = -HUGE_VAL, most = sample_max(p);
    bool anything = p->view.sample == COF_SAMPLE_F32 && p->view.kind == COF_KIND_BANDS;
    if (lab)
        return (Scale){channel == 0 ? 50 : 0, 100};
    if (is_rgb(p) || bands != colour_bands(p))
        return (Scale){anything ? 0 : most / 2, most};
    for (int i = 0; i < k; i++) {
        low = fmin(low, (double)centres[i * bands + channel]);
        high = fmax(high, (double)centres[i * bands + channel]);
    }
    return high > low ? (Scale){(low + high) / 2, high - low}
                      : (Scale){anything ? 0 : most / 2, most};
}

/* The channels of a guide, of which each band is a function. */
typedef struct Guide {
    const TestImage *image;
    Field field;
    bool lab, own; /* own: a band is a function of the channel of the same number */
    int n;         /* others are functions of so many channels, or of the mean of all */
} Guide;

static Guide guide_of(const Trial *t, const TestImage *image, bool lab)
{
    const TestImage *whole = t->has_guide ? &t->guide : &t->in;
    bool separate = t->has_guide;
    Guide g = {.image = image, .lab = is_rgb(whole) && (separate || lab)};
    g.own = !is_rgb(whole) && !is_rgb(&t->in) &&
            (!separate || colour_bands(whole) == colour_bands(&t->in));
    g.n = is_rgb(whole) ? 3 : 1;
    g.field = field_of(image, g.lab);
    return g;
}

/* Input i of the models of a band. */
static double guide_value(const Trial *t, const Guide *g, int x, int y, int band, int i)
{
    const double *values = field_at(&g->field, x, y);
    int channels = colour_bands(g->image), first = g->own ? band : i;
    int last = g->own || g->n > 1 ? first : channels - 1;
    double sum = 0;
    for (int channel = first; channel <= last; channel++) {
        Scale scale = scale_of(t, t->has_guide ? &t->guide : &t->in, g->lab, channel);
        sum += (values[channel] - scale.middle) / scale.range;
    }
    return sum / (last - first + 1);
}

/* Solves a system of n equations by Gaussian elimination with pivots. */
static void solve(int n, double system[4][5], double *solution)
{
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int row = i; row < n; row++)
            best = fabs(system[row][i]) > fabs(system[best][i]) ? row : best;
        for (int column = 0; column <= n; column++) {
            double value = system[i][column];
            system[i][column] = system[best][column];
            system[best][column] = value;
        }
        for (int row = 0; row < n; row++) {
            double factor = system[row][i] / system[i][i];
            for (int column = i; column <= n && row != i; column++)
                system[row][column] -= factor * system[i][column];
        }
    }
    for (int i = 0; i < n; i++)
        solution[i] = system[i][n] / system[i][i];
}

static bool is_known(const Trial *t, int x, int y)
{
    return has_data(&t->small, x, y) && weight_of(&t->small, x, y) > 0 &&
           (!t->has_guide || has_data(&t->small_guide, x, y));
}

/* The coefficients of a band around a pixel: of each guide, and the constant. False if the window
 * has no data. */
static bool fit(const Trial *t, const Guide *g, const Field *filtered, int x, int y, int band,
                double *coefficients)
{
    int radius = t->options.refine > 0 ? t->options.refine : 2, count = 0, n = g->n;
    double mean[4] = {0}, products[4][4] = {{0}}, system[4][5];
    for (int j = y - radius; j <= y + radius; j++)
        for (int i = x - radius; i <= x + radius; i++) {
            if (i < 0 || j < 0 || i >= filtered->width || j >= filtered->height ||
                !is_known(t, i, j))
                continue;
            double v[4] = {0};
            for (int k = 0; k < n; k++)
                v[k] = guide_value(t, g, i, j, band, k);
            v[n] = field_at(filtered, i, j)[band];
            count++;
            for (int a = 0; a <= n; a++)
                mean[a] += v[a];
            for (int a = 0; a <= n; a++)
                for (int b = 0; b <= n; b++)
                    products[a][b] += v[a] * v[b];
        }
    if (count == 0)
        return false;
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= n; b++)
            system[a][b] =
                products[a][b] / count - mean[a] / count * (mean[b] / count) + (a == b ? 1e-3 : 0);
    solve(n, system, coefficients);
    coefficients[n] = mean[n] / count;
    for (int a = 0; a < n; a++)
        coefficients[n] -= coefficients[a] * mean[a] / count;
    return true;
}

typedef struct Models {
    double *values; /* of each pixel and band: four */
    bool *known;
} Models;

static Models fit_all(const Trial *t, const Guide *g, bool lab)
{
    Field filtered = field_of(&t->filtered, lab);
    int width = filtered.width, bands = filtered.bands;
    size_t n = (size_t)(width * filtered.height);
    Models m = {calloc(n * (size_t)bands, 4 * sizeof(double)), calloc(n, sizeof(bool))};
    assert_true(m.values && m.known);
    for (int i = 0; i < (int)n; i++)
        for (int band = 0; band < bands; band++)
            m.known[i] = fit(t, g, &filtered, i % width, i / width, band,
                             m.values + 4 * ((size_t)i * (size_t)bands + (size_t)band));
    field_free(&filtered);
    return m;
}

/* The bilinear interpolation between models, of coefficient i of a band. False if one is unknown.
 */
static bool interpolate(const Trial *t, const Models *m, int x, int y, int band, int i,
                        double *value)
{
    int width = t->small.view.width, height = t->small.view.height, bands = colour_bands(&t->in);
    double px = (x + 0.5) / t->n - 0.5, py = (y + 0.5) / t->n - 0.5;
    *value = 0;
    for (int corner = 0; corner < 4; corner++) {
        int left = (int)floor(px) + corner % 2, top = (int)floor(py) + corner / 2;
        double share = (1 - fabs(px - left)) * (1 - fabs(py - top));
        int at = clamp_index(top, height) * width + clamp_index(left, width);
        if (share <= 0)
            continue;
        if (!m->known[at])
            return false;
        *value += share * m->values[4 * (at * bands + band) + i];
    }
    return true;
}

/* Whether the label of the cell that a pixel lies in has any weight. */
static bool has_weight(const Trial *t, int x, int y)
{
    int k = cof_model_size(t->model), width = t->small.view.width;
    const double *row = cof_model_matrix(t->model) + t->labels[y / t->n * width + x / t->n] * k;
    double sum = 0;
    for (int b = 0; b < k; b++)
        sum += row[b];
    return sum > 0;
}

/* Compares a pixel; returns how many bytes differ. Pixels without a model keep their samples. */
static int check_pixel(const Trial *t, const Guide *g, const Models *m, const Field *input, int x,
                       int y, bool lab)
{
    double values[COF_MAX_BANDS], detail = 1 - t->options.strength * (1 - t->options.detail);
    bool known = has_data(&t->in, x, y) && (!t->has_guide || has_data(&t->guide, x, y)) &&
                 has_weight(t, x, y);
    int bands = colour_bands(&t->in), wrong = 0;
    for (int band = 0; band < bands; band++) {
        double a, sum;
        known = known && interpolate(t, m, x, y, band, g->n, &sum);
        if (!known)
            break;
        for (int i = 0; i < g->n; i++) {
            (void)interpolate(t, m, x, y, band, i, &a);
            sum += a * guide_value(t, g, x, y, band, i);
        }
        values[band] = sum + detail * (field_at(input, x, y)[band] - sum);
    }
    if (lab && known)
        oracle_rgb(values, values);
    for (int band = 0; lab && known && band < bands; band++)
        values[band] *= sample_max(&t->in);
    for (int c = 0; c < t->in.view.channels; c++) {
        if (!known || c == bands) {
            if (test_image_bits(&t->in, x, y, c) != test_image_bits(&t->out, x, y, c))
                fail_msg("(%d, %d) channel %d is no longer the same", x, y, c);
            continue;
        }
        double found = test_image_get(&t->out, x, y, c),
               wanted = expected_sample(&t->in, values[c]);
        if (!(fabs(found - wanted) <= tolerance_of(&t->in)))
            fail_msg("(%d, %d) channel %d is %.9g, expected %.9g", x, y, c, found, wanted);
        wrong += t->in.view.sample == COF_SAMPLE_U8 && found != wanted;
    }
    return wrong;
}

static void check_output(const Trial *t, int *wrong, int *samples)
{
    bool lab = is_rgb(&t->in) && t->options.space == COF_SPACE_LAB;
    Guide small = guide_of(t, t->has_guide ? &t->small_guide : &t->small, lab);
    Guide whole = guide_of(t, t->has_guide ? &t->guide : &t->in, lab);
    Models models = fit_all(t, &small, lab);
    Field input = field_of(&t->in, lab);
    test_image_check_padding(&t->out);
    for (int i = 0; i < t->width * t->height; i++)
        *wrong += check_pixel(t, &whole, &models, &input, i % t->width, i / t->width, lab);
    if (t->in.view.sample == COF_SAMPLE_U8)
        *samples += t->width * t->height * colour_bands(&t->in);
    field_free(&input);
    field_free(&small.field);
    field_free(&whole.field);
    free(models.values);
    free(models.known);
}

/* Checks that one call and an in-place call give the same bytes. */
static void check_other_ways(Trial *t)
{
    TestImage once = test_image_like(&t->in);
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

/* Checks that the device has refined what it can refine. */
static void check_place(const Trial *t)
{
    bool can = device && t->in.view.kind != COF_KIND_BANDS && t->n == 1 && !t->has_guide;
    assert_int_equal(t->report.device_stages >> COF_STAGE_STORE & 1, can);
}

static void run_theme(void **state)
{
    const Theme *theme = *state;
    int done = 0, empty = 0, wrong = 0, samples = 0,
        trials = trials_of(device ? TRIALS_ON_DEVICE : TRIALS_PER_THEME);
    for (uint64_t seed = 1; done < trials; seed++) {
        Trial t;
        current_seed = seed;
        trial_new(&t, theme, seed + 1000 * (uint64_t)(theme - themes));
        if (!check_learning(&t)) {
            empty++;
        } else {
            done++;
            filter_small(&t);
            assert_ok(cof_filter(t.model, t.has_guide ? &t.guide.view : NULL, &t.in.view,
                                 &t.out.view, &t.options));
            check_output(&t, &wrong, &samples);
            check_place(&t);
            check_other_ways(&t);
        }
        trial_free(&t);
    }
    current_seed = 0;
    print_message(
        "%s: %d configurations agree, %d more had nothing to learn from; %d of %d samples "
        "differ by 1\n",
        theme->name, done, empty, wrong, samples);
    assert_true(wrong <= samples / 1000);
}

static int open_device(void **state)
{
    (void)state;
    return getenv("COF_TEST_DEVICE") && cof_context_new_device(&device, NULL, 2, NULL) != COF_OK;
}

static int close_device(void **state)
{
    (void)state;
    cof_context_free(&device);
    return 0;
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
    if (getenv("COF_TEST_DEVICE") && cof_device_count() == 0)
        return 77; /* skipped */
    return cmocka_run_group_tests_name("refine", tests, open_device, close_device);
}
