/* SPDX-License-Identifier: BSD-2-Clause */
/* M as a picture: blue is rarer than chance, red more frequent, on a logarithmic scale. */
#include "figures/heat_map.h"

#include <math.h>
#include <stdlib.h>

#include "figures/palette_colour.h"

#define MAP 440
#define STRIP 20
#define GAP 4
#define SCALE_STEPS 64
#define ROUNDS 300

typedef struct Place {
    double score;
    int label;
} Place;

static int by_score(const void *a, const void *b)
{
    double x = ((const Place *)a)->score, y = ((const Place *)b)->score;
    return x < y ? -1 : x > y;
}

/* Takes away what is along `base`, and makes the rest as long as 1. */
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

/* One round of the power method with S = D^1/2 M D^1/2, which has sqrt(pi) as its first vector. */
static void multiply(const CofModel *model, const double *root, double *v, double *next)
{
    int k = cof_model_size(model);
    const double *m = cof_model_matrix(model);
    for (int a = 0; a < k; a++) {
        next[a] = v[a]; /* S + 1: no negative value of S is the largest */
        for (int b = 0; b < k; b++)
            next[a] += root[a] * m[a * k + b] * root[b] * v[b];
    }
    for (int a = 0; a < k; a++)
        v[a] = next[a];
}

/* Labels that mix stand side by side: sorted by the second vector of S. Grey has an order already.
 */
static void order_labels(const CofModel *model, int order[256])
{
    double root[256], v[256], next[256];
    Place places[256];
    int k = cof_model_size(model);
    const double *pi = cof_model_frequencies(model);
    for (int i = 0; i < k; i++) {
        root[i] = sqrt(pi[i]);
        v[i] = i - k / 2.0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        make_orthogonal(v, root, k);
        multiply(model, root, v, next);
    }
    for (int i = 0; i < k; i++)
        places[i] = (Place){root[i] > 0 ? v[i] / root[i] : INFINITY, i};
    for (int i = 0; i < k && cof_model_kind(model) == COF_GREY; i++)
        places[i].score = i;
    qsort(places, (size_t)k, sizeof places[0], by_score);
    /* The darker end, which has the lower labels, comes first. */
    bool turned = k > 1 && places[0].label > places[k - 1].label;
    for (int i = 0; i < k; i++)
        order[i] = places[turned ? k - 1 - i : i].label;
}

/* -1 blue, 0 white, 1 red. */
static void heat(double value, unsigned char rgb[3])
{
    double v = value < -1 ? -1 : value > 1 ? 1 : value, cold = v < 0 ? -v : 0, hot = v > 0 ? v : 0;
    rgb[0] = (unsigned char)(255 - 225 * cold - 75 * hot);
    rgb[1] = (unsigned char)(255 - 165 * cold - 235 * hot);
    rgb[2] = (unsigned char)(255 - 85 * cold - 215 * hot);
}

/* The largest distance from 1 that is shown, as a power of 10. */
static double decades(const CofModel *model)
{
    int k = cof_model_size(model);
    const double *m = cof_model_matrix(model);
    double largest = 1;
    for (int i = 0; i < k * k; i++)
        largest = m[i] > largest ? m[i] : largest;
    return fmax(0.3, log10(largest));
}

static VipsImage *pixels_of(const CofModel *model, const int *order, double range)
{
    int k = cof_model_size(model), zoom = MAP / k > 0 ? MAP / k : 1;
    const double *m = cof_model_matrix(model);
    unsigned char *rgb = g_malloc((gsize)(3 * k * k));
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            double value = m[order[a] * k + order[b]];
            heat(value > 0 ? log10(value) / range : -1, rgb + 3 * (a * k + b));
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

static void draw_scale(Drawing *d, double x, double y, double range)
{
    unsigned char rgb[3];
    char text[32];
    double step = (double)MAP / SCALE_STEPS;
    for (int i = 0; i < SCALE_STEPS; i++) {
        heat(1 - 2.0 * i / (SCALE_STEPS - 1), rgb);
        drawing_rect(d, x, y + i * step, STRIP, step + 0.5, rgb);
    }
    for (int i = -2; i <= 2; i++) {
        double value = pow(10, range * i / 2);
        g_ascii_formatd(text, sizeof text, "%.3g", value);
        drawing_text(d, x + STRIP + 6, y + MAP * (2 - i) / 4.0 + 5, 13, ANCHOR_START, text);
    }
}

bool heat_map_draw(Drawing *d, const CofModel *model, double x, double y)
{
    int order[256], k = cof_model_size(model);
    unsigned char rgb[3];
    double range = decades(model), side = (double)MAP / k, left = x + STRIP + GAP,
           top = y + STRIP + GAP;
    order_labels(model, order);
    VipsImage *pixels = pixels_of(model, order, range);
    bool ok = pixels && drawing_image(d, pixels, left, top, MAP, MAP);
    VIPS_UNREF(pixels);
    for (int i = 0; i < k && ok; i++) {
        palette_colour(model, order[i], rgb);
        drawing_rect(d, x, top + i * side, STRIP, side, rgb);
        drawing_rect(d, left + i * side, y, side, STRIP, rgb);
    }
    if (ok)
        draw_scale(d, left + MAP + 3 * GAP, top, range);
    return ok;
}
