/* SPDX-License-Identifier: BSD-2-Clause */
/* A coarse grid, on which a wide Gaussian becomes narrow. */
#include "filter/coarse_grid.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "cof/cof.h"

/* A Gaussian is cut off where it is smaller than this. */
#define TAIL 0.004

/* The factor by which the error of a narrower blur may be larger. */
#define ENOUGH 1.03

/* The square of what is at most a limit is below the square of the limit times this. */
#define ROUNDING 1.0001

#define MAX_GRID_TAPS (COFI_MAX_GRID_RADIUS + 1)

int cofi_grid_cell(const CofiGrid *grid, int pixel, float *beyond)
{
    assert(grid->step >= 1);
    int twice = 2 * pixel - (grid->step - 1), size = 2 * grid->step;
    int cell = twice >= 0 ? twice / size : -((-twice + size - 1) / size);
    *beyond = (float)(twice - cell * size) / (float)size;
    return cell;
}

/* The weights of a window along one axis, by distance. */
typedef struct Window {
    int radius;
    double weights[COF_MAX_FILTER_WINDOW / 2 + 1];
} Window;

static double weight_at(const Window *window, int d)
{
    d = d < 0 ? -d : d;
    return d > window->radius ? 0 : window->weights[d];
}

/* The two neighbouring taps, `lower` and lower + 1 or the other way round, that contribute to the
 * weight of a pixel q for a pixel p, and their shares. Taps beyond the radius have none. */
typedef struct TapShares {
    int lower;
    double shares[2]; /* of taps lower and lower + 1 */
} TapShares;

/* `cell` and `beyond` are those of p. */
static TapShares shares_of_taps(const CofiGrid *grid, int cell, double beyond, int q)
{
    int from = (q >= 0 ? q : q - grid->step + 1) / grid->step;
    int m = from - cell; /* the left cell of p is m cells away, the right one m - 1 */
    return m > 0 ? (TapShares){m - 1, {beyond, 1 - beyond}} : (TapShares){-m, {1 - beyond, beyond}};
}

/* The normal equations of the fit. A pixel lies between two neighbouring taps, so that their matrix
 * is symmetric and tridiagonal. */
typedef struct Fit {
    double diagonal[MAX_GRID_TAPS], beside[MAX_GRID_TAPS]; /* beside[i]: of taps i and i + 1 */
    double right[MAX_GRID_TAPS];                           /* in the end, the solution */
} Fit;

static void add_equation(Fit *fit, int n, const TapShares *taps, double wanted)
{
    for (int side = 0; side < 2 && taps->lower + side < n; side++) {
        int i = taps->lower + side;
        fit->right[i] += taps->shares[side] * wanted;
        fit->diagonal[i] += taps->shares[side] * taps->shares[side];
    }
    if (taps->lower + 1 < n)
        fit->beside[taps->lower] += taps->shares[0] * taps->shares[1];
}

static void solve(Fit *fit, int n)
{
    double *b = fit->right;
    for (int i = 0; i + 1 < n; i++) {
        double factor = fit->diagonal[i] != 0 ? fit->beside[i] / fit->diagonal[i] : 0;
        fit->diagonal[i + 1] -= factor * fit->beside[i];
        b[i + 1] -= factor * b[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        if (i + 1 < n)
            b[i] -= fit->beside[i] * b[i + 1];
        b[i] = fit->diagonal[i] != 0 ? b[i] / fit->diagonal[i] : 0;
    }
}

/* The distance beyond which pixels have no weight, neither wanted nor found. */
static int farthest(const CofiGrid *grid, const Window *window)
{
    int reach = (grid->radius + 2) * grid->step, most = window->radius + 2 * COFI_MAX_STEP;
    reach = reach < window->radius ? window->radius : reach;
    return reach < most ? reach : most;
}

/* The weight that the taps give a pixel. */
static double found_weight(const Fit *fit, int n, const TapShares *taps)
{
    double weight = 0;
    for (int side = 0; side < 2 && taps->lower + side < n; side++)
        weight += taps->shares[side] * fit->right[taps->lower + side];
    return weight;
}

/* Adds the equations of a pixel p, and the squares of its weights; once they are solved, the
 * squares of the errors. */
static void add_pixel(Fit *fit, bool solved, const CofiGrid *grid, const Window *window, int p,
                      double *squares)
{
    int n = grid->radius + 1, far = farthest(grid, window);
    float beyond;
    int cell = cofi_grid_cell(grid, p, &beyond);
    for (int q = p - far; q <= p + far; q++) {
        TapShares taps = shares_of_taps(grid, cell, (double)beyond, q);
        double wanted = weight_at(window, q - p);
        double value = solved ? found_weight(fit, n, &taps) - wanted : wanted;
        if (!solved)
            add_equation(fit, n, &taps, wanted);
        *squares += value * value;
    }
}

/* Whether even taps that are fitted to one pixel of a cell have a larger error than all pixels
 * together may have. */
static bool is_too_coarse(const CofiGrid *grid, const Window *window, double most)
{
    Fit fit = {.right = {0}};
    double wanted_squares = 0, squares = 0;
    add_pixel(&fit, false, grid, window, 0, &wanted_squares);
    solve(&fit, grid->radius + 1);
    add_pixel(&fit, true, grid, window, 0, &squares);
    return squares > ROUNDING * most * most * wanted_squares * grid->step;
}

/* Fits the taps by least squares over all offsets of p in its cell; returns the relative error, or,
 * if that is above `most`, something above it. */
static double fit_taps(CofiGrid *grid, const Window *window, double most)
{
    int n = grid->radius + 1;
    Fit fit = {.right = {0}};
    double wanted_squares = 0, squares = 0;
    for (int p = 0; p < grid->step; p++)
        add_pixel(&fit, false, grid, window, p, &wanted_squares);
    solve(&fit, n);
    for (int i = 0; i < n; i++)
        grid->taps[i] = (float)(fit.right[i] / fit.right[0]);
    grid->scale = (float)fit.right[0];
    double limit = ROUNDING * most * most * wanted_squares;
    for (int p = 0; p < grid->step && squares <= limit; p++)
        add_pixel(&fit, true, grid, window, p, &squares);
    return sqrt(squares / wanted_squares);
}

/* Narrows the blur as long as the error does not grow much. */
static void make_narrower(CofiGrid *grid, const Window *window, double error)
{
    while (grid->radius > 1) {
        CofiGrid narrower = {.step = grid->step, .radius = grid->radius - 1};
        if (fit_taps(&narrower, window, ENOUGH * error) > ENOUGH * error)
            return;
        *grid = narrower;
    }
}

int cofi_grid_fit(CofiGrid *grid, int window, double sigma, double tolerance)
{
    assert(window >= 1 && sigma > 0);
    assert(window <= COF_MAX_FILTER_WINDOW);
    Window wanted = {.radius = window / 2};
    for (int d = 0; d <= wanted.radius; d++)
        wanted.weights[d] = exp(-d * d / (2 * sigma * sigma));
    double tail = sigma * sqrt(-2 * log(TAIL));
    int seen = tail < wanted.radius ? (int)ceil(tail) : wanted.radius;
    for (int step = COFI_MAX_STEP; step >= 2; step--) {
        int widest = (seen + step / 2) / step;
        *grid = (CofiGrid){.step = step, .radius = widest};
        if (widest < 1 || widest > COFI_MAX_GRID_RADIUS || is_too_coarse(grid, &wanted, tolerance))
            continue;
        double error = fit_taps(grid, &wanted, tolerance);
        if (error <= tolerance) {
            make_narrower(grid, &wanted, error);
            grid->reach = (grid->radius + 2) * step;
            return step;
        }
    }
    return 0;
}

int cofi_grid_fit_or_known(CofiKnownGrid *known, CofiGrid *grid, int window, double sigma,
                           double tolerance)
{
    bool is_known =
        known->window == window && known->sigma == sigma && known->tolerance == tolerance;
    if (!is_known) {
        *known = (CofiKnownGrid){.window = window, .sigma = sigma, .tolerance = tolerance};
        known->found = cofi_grid_fit(&known->grid, window, sigma, tolerance);
    }
    *grid = known->grid;
    return known->found;
}
