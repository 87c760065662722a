/* SPDX-License-Identifier: BSD-2-Clause */
/* A coarse grid, on which a wide Gaussian becomes narrow. */
#include "filter/coarse_grid.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A Gaussian is cut off where it is smaller than this. */
#define TAIL 0.004

/* The factor by which the error of a narrower blur may be larger. */
#define ENOUGH 1.03

#define MAX_GRID_TAPS (COFI_MAX_GRID_RADIUS + 1)

int cofi_grid_cell(const CofiGrid *grid, int pixel, float *beyond)
{
    assert(grid->step >= 1);
    int twice = 2 * pixel - (grid->step - 1), size = 2 * grid->step;
    int cell = twice >= 0 ? twice / size : -((-twice + size - 1) / size);
    *beyond = (float)(twice - cell * size) / (float)size;
    return cell;
}

static double gauss(int d, int radius, double sigma)
{
    return d < -radius || d > radius ? 0 : exp(-d * d / (2 * sigma * sigma));
}

/* row[|m|] becomes the contribution of tap m to the weight of pixel q for pixel p. */
static void weights_of_taps(const CofiGrid *grid, int p, int q, double *row)
{
    float beyond;
    int cell = cofi_grid_cell(grid, p, &beyond);
    int from = (q >= 0 ? q : q - grid->step + 1) / grid->step;
    memset(row, 0, (size_t)(grid->radius + 1) * sizeof *row);
    for (int side = 0; side < 2; side++) {
        int m = from - cell - side;
        m = m < 0 ? -m : m;
        if (m <= grid->radius)
            row[m] += side == 0 ? 1 - (double)beyond : (double)beyond;
    }
}

/* The normal equations of the fit. A pixel lies between two neighbouring taps, so that their matrix
 * is symmetric and tridiagonal. */
typedef struct Fit {
    double diagonal[MAX_GRID_TAPS], beside[MAX_GRID_TAPS]; /* beside[i]: of taps i and i + 1 */
    double right[MAX_GRID_TAPS];                           /* in the end, the solution */
} Fit;

static void add_equation(Fit *fit, int n, const double *row, double wanted)
{
    for (int i = 0; i < n; i++) {
        fit->right[i] += row[i] * wanted;
        fit->diagonal[i] += row[i] * row[i];
        fit->beside[i] += i + 1 < n ? row[i] * row[i + 1] : 0;
    }
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

/* Fits the taps by least squares over all offsets of p in its cell; returns the relative error. */
static double fit_taps(CofiGrid *grid, int radius, double sigma)
{
    static const int beyond_window = 2 * COFI_MAX_STEP;
    int n = grid->radius + 1, far = radius + beyond_window;
    Fit fit = {.right = {0}};
    double row[MAX_GRID_TAPS], wanted_squares = 0;
    for (int p = 0; p < grid->step; p++)
        for (int q = p - far; q <= p + far; q++) {
            double wanted = gauss(q - p, radius, sigma);
            weights_of_taps(grid, p, q, row);
            add_equation(&fit, n, row, wanted);
            wanted_squares += wanted * wanted;
        }
    solve(&fit, n);
    double squares = 0;
    for (int p = 0; p < grid->step; p++)
        for (int q = p - far; q <= p + far; q++) {
            double error = -gauss(q - p, radius, sigma);
            weights_of_taps(grid, p, q, row);
            for (int i = 0; i < n; i++)
                error += row[i] * fit.right[i];
            squares += error * error;
        }
    for (int i = 0; i < n; i++)
        grid->taps[i] = (float)fit.right[i];
    return sqrt(squares / wanted_squares);
}

/* Narrows the blur as long as the error does not grow much. */
static void make_narrower(CofiGrid *grid, int radius, double sigma, double error)
{
    while (grid->radius > 1) {
        CofiGrid narrower = {.step = grid->step, .radius = grid->radius - 1};
        if (fit_taps(&narrower, radius, sigma) > ENOUGH * error)
            return;
        *grid = narrower;
    }
}

int cofi_grid_fit(CofiGrid *grid, int window, double sigma, double tolerance)
{
    assert(window >= 1 && sigma > 0);
    int radius = window / 2;
    double tail = sigma * sqrt(-2 * log(TAIL));
    int seen = tail < radius ? (int)ceil(tail) : radius;
    for (int step = COFI_MAX_STEP; step >= 2; step--) {
        int widest = (seen + step / 2) / step;
        *grid = (CofiGrid){.step = step, .radius = widest};
        if (widest < 1 || widest > COFI_MAX_GRID_RADIUS)
            continue;
        double error = fit_taps(grid, radius, sigma);
        if (error <= tolerance) {
            make_narrower(grid, radius, sigma, error);
            grid->reach = (grid->radius + 2) * step;
            return step;
        }
    }
    return 0;
}
