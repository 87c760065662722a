/* SPDX-License-Identifier: BSD-2-Clause */
/* A heat map of M: blue is rarer than chance, red more frequent, on a logarithmic scale. */
#include "figures/heat_map.h"

#include <math.h>
#include <stdlib.h>

#include "figures/palette_colour.h"

#define MAP_SIDE 440
#define STRIP_WIDTH 20
#define GAP 4
#define SCALE_STEPS 64
#define POWER_ITERATIONS 300

typedef struct ScoredLabel {
    double score;
    int label;
} ScoredLabel;

static int by_score(const void *a, const void *b)
{
    double x = ((const ScoredLabel *)a)->score, y = ((const ScoredLabel *)b)->score;
    return x < y ? -1 : x > y;
}

/* Removes the component along `base`, and normalises the rest to length 1. */
static void make_orthogonal(double *v, const double *base, int k)
{
    double along = 0, length = 0;
    for (int i = 0; i < k; i++)
        along += v[i] * base[i];
    for (int i = 0; i < k; i++) {
        v[i] -= along * base[i];
        length += v[i] * v[i];
    }
    for (int i = 0; i < k && length > 0; i++)
        v[i] /= sqrt(length);
}

/* One step of power iteration with S = D^1/2 M D^1/2, whose first eigenvector is sqrt(pi). */
static void multiply(const CofModel *model, const double *root, double *v, double *next)
{
    int k = cof_model_size(model);
    const double *m = cof_model_matrix(model);
    for (int a = 0; a < k; a++) {
        next[a] =
            v[a]; /* uses S + 1, so that no negative eigenvalue of S has the largest magnitude */
        for (int b = 0; b < k; b++)
            next[a] += root[a] * m[a * k + b] * root[b] * v[b];
    }
    for (int a = 0; a < k; a++)
        v[a] = next[a];
}

/* Sorts labels by the second eigenvector of S, so that labels that are averaged with each
 * other are neighbours. Grey labels keep their order. */
static void order_labels(const CofModel *model, int order[256])
{
    double root[256], v[256], next[256];
    ScoredLabel scored[256];
    int k = cof_model_size(model);
    const double *pi = cof_model_frequencies(model);
    for (int i = 0; i < k; i++) {
        root[i] = sqrt(pi[i]);
        v[i] = i - k / 2.0;
    }
    for (int round = 0; round < POWER_ITERATIONS; round++) {
        make_orthogonal(v, root, k);
        multiply(model, root, v, next);
    }
    for (int i = 0; i < k; i++)
        scored[i] = (ScoredLabel){root[i] > 0 ? v[i] / root[i] : INFINITY, i};
    CofKind kind;
    bool is_grey = cof_model_kind(model, &kind) == COF_OK && kind == COF_KIND_GREY;
    for (int i = 0; i < k && is_grey; i++)
        scored[i].score = i;
    qsort(scored, (size_t)k, sizeof scored[0], by_score);
    /* The end with the lower, darker label comes first. */
    bool reversed = k > 1 && scored[0].label > scored[k - 1].label;
    for (int i = 0; i < k; i++)
        order[i] = scored[reversed ? k - 1 - i : i].label;
}

/* The colour of a value: -1 is blue, 0 white, 1 red. */
static void heat_colour(double value, unsigned char rgb[3])
{
    double v = value < -1 ? -1 : value > 1 ? 1 : value, cold = v < 0 ? -v : 0, hot = v > 0 ? v : 0;
    rgb[0] = (unsigned char)(255 - 225 * cold - 75 * hot);
    rgb[1] = (unsigned char)(255 - 165 * cold - 235 * hot);
    rgb[2] = (unsigned char)(255 - 85 * cold - 215 * hot);
}

/* The end of the scale, as a power of 10. */
static double scale_decades(const CofModel *model)
{
    int k = cof_model_size(model);
    const double *m = cof_model_matrix(model);
    double largest = 1;
    for (int i = 0; i < k * k; i++)
        largest = m[i] > largest ? m[i] : largest;
    return fmax(0.3, log10(largest));
}

static VipsImage *map_image(const CofModel *model, const int *order, double range)
{
    int k = cof_model_size(model), zoom = MAP_SIDE / k > 0 ? MAP_SIDE / k : 1;
    const double *m = cof_model_matrix(model);
    unsigned char *rgb = g_malloc((gsize)(3 * k * k));
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            double value = m[order[a] * k + order[b]];
            heat_colour(value > 0 ? log10(value) / range : -1, rgb + 3 * (a * k + b));
        }
    VipsImage *small = vips_image_new_from_memory_copy(rgb, (gsize)(3 * k * k), k, k, 3,
                                                       VIPS_FORMAT_UCHAR),
              *large = NULL;
    g_free(rgb);
    if (small)
        vips_zoom(small, &large, zoom, zoom, NULL);
    VIPS_UNREF(small);
    return large;
}

static void draw_scale(Svg *svg, double x, double y, double range)
{
    unsigned char rgb[3];
    char text[32];
    double step = (double)MAP_SIDE / SCALE_STEPS;
    for (int i = 0; i < SCALE_STEPS; i++) {
        heat_colour(1 - 2.0 * i / (SCALE_STEPS - 1), rgb);
        svg_rect(svg, x, y + i * step, STRIP_WIDTH, step + 0.5, rgb);
    }
    for (int i = -2; i <= 2; i++) {
        double value = pow(10, range * i / 2);
        g_ascii_formatd(text, sizeof text, "%.3g", value);
        svg_text(svg, x + STRIP_WIDTH + 6, y + MAP_SIDE * (2 - i) / 4.0 + 5, 13, ANCHOR_START,
                 text);
    }
}

bool heat_map_draw(Svg *svg, const CofModel *model, double x, double y)
{
    int order[256], k = cof_model_size(model);
    unsigned char rgb[3];
    double range = scale_decades(model), side = (double)MAP_SIDE / k, left = x + STRIP_WIDTH + GAP,
           top = y + STRIP_WIDTH + GAP;
    order_labels(model, order);
    VipsImage *pixels = map_image(model, order, range);
    bool ok = pixels && svg_image(svg, pixels, left, top, MAP_SIDE, MAP_SIDE);
    VIPS_UNREF(pixels);
    for (int i = 0; i < k && ok; i++) {
        palette_colour(model, order[i], rgb);
        svg_rect(svg, x, top + i * side, STRIP_WIDTH, side, rgb);
        svg_rect(svg, left + i * side, y, side, STRIP_WIDTH, rgb);
    }
    if (ok)
        draw_scale(svg, left + MAP_SIDE + 3 * GAP, top, range);
    return ok;
}
