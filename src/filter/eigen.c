/* SPDX-License-Identifier: BSD-2-Clause */
/* Eigenvectors of a symmetric matrix: a Householder reduction to a tridiagonal one, and QL steps
 * with implicit shifts. */
#include "filter/eigen.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define N COFI_EIGEN_SIZE
#define MAX_ROUNDS 60 /* QL steps for one eigenvalue; a few are enough */

/* Householder: rows `vectors` become the transform that makes the matrix tridiagonal, with this
 * diagonal and off-diagonal (off[0] is not used). The matrix stays symmetric bit by bit, so that
 * sums along its columns can run along rows, and all of them side by side. */
static void make_tridiagonal(CofiEigen *e, double *diagonal, double *off)
{
    int n = e->n;
    double(*a)[N] = e->vectors, (*q)[N] = e->rest; /* q is transposed */
    memset(q, 0, N * sizeof *q);
    for (int i = 0; i < n; i++)
        q[i][i] = 1;
    for (int step = 0; step < n - 2; step++) {
        double v[N] = {0}, p[N] = {0}, sums[N] = {0}, norm = 0, square = 0, shared = 0;
        for (int i = step + 1; i < n; i++)
            norm += a[i][step] * a[i][step];
        norm = sqrt(norm);
        for (int i = step + 1; i < n; i++)
            v[i] = a[i][step];
        v[step + 1] += v[step + 1] < 0 ? -norm : norm;
        for (int i = step + 1; i < n; i++)
            square += v[i] * v[i];
        if (square == 0)
            continue;
        /* A <- H A H, H = 1 - 2 v v' / square */
        for (int j = step + 1; j < n; j++)
            for (int i = step; i < n; i++)
                p[i] += a[j][i] * v[j] * (2 / square);
        for (int i = step + 1; i < n; i++)
            shared += p[i] * v[i] / square;
        for (int i = step; i < n; i++)
            p[i] -= shared * v[i];
        for (int i = step; i < n; i++)
            for (int j = step; j < n; j++)
                a[i][j] -= v[i] * p[j] + p[i] * v[j];
        for (int j = step + 1; j < n; j++)
            for (int i = 0; i < n; i++)
                sums[i] += q[j][i] * v[j];
        for (int j = step + 1; j < n; j++)
            for (int i = 0; i < n; i++)
                q[j][i] -= sums[i] * (2 / square) * v[j];
    }
    for (int i = 0; i < n; i++) {
        diagonal[i] = a[i][i];
        off[i] = i > 0 ? a[i][i - 1] : 0;
    }
    memcpy(a, q, N * sizeof *a);
}

/* Rotates rows i and i + 1. */
static void rotate(CofiEigen *e, int i, double c, double s)
{
    double *x = e->vectors[i], *y = e->vectors[i + 1];
    for (int j = 0; j < e->n; j++) {
        double t = y[j];
        y[j] = s * x[j] + c * t;
        x[j] = c * x[j] - s * t;
    }
}

/* hypot() of a fixed sequence of IEEE operations; that of glibc would need its version 2.35. */
static double length_of(double a, double b)
{
    bool first = fabs(a) > fabs(b);
    double larger = fabs(first ? a : b), smaller = fabs(first ? b : a);
    double ratio = larger > 0 ? smaller / larger : 0;
    return larger * sqrt(1 + ratio * ratio);
}

/* One implicit QL step on rows first..last of a tridiagonal matrix; off[i] joins i - 1 and i. */
static void ql_step(CofiEigen *e, double *d, double *off, int first, int last)
{
    double g = (d[first + 1] - d[first]) / (2 * off[first + 1]), r = length_of(g, 1);
    g = d[last] - d[first] + off[first + 1] / (g + (g < 0 ? -r : r));
    double s = 1, c = 1, p = 0;
    for (int i = last - 1; i >= first; i--) {
        double f = s * off[i + 1], b = c * off[i + 1];
        r = length_of(f, g);
        if (i + 2 <= last)
            off[i + 2] = r;
        if (r == 0) {
            d[i + 1] -= p;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate(e, i, c, s);
    }
    d[first] -= p;
    off[first + 1] = g;
}

/* The end of the block that begins at `first`: where the off-diagonal vanishes. */
static int block_end(const double *d, const double *off, int n, int first)
{
    int last = first;
    while (last + 1 < n && fabs(off[last + 1]) > 1e-15 * (fabs(d[last]) + fabs(d[last + 1])))
        last++;
    return last;
}

static void sort_by_size(CofiEigen *e)
{
    for (int i = 0; i < e->n; i++) {
        int largest = i;
        for (int j = i + 1; j < e->n; j++)
            if (fabs(e->values[j]) > fabs(e->values[largest]))
                largest = j;
        double value = e->values[i], row[N];
        memcpy(row, e->vectors[i], sizeof row);
        memcpy(e->vectors[i], e->vectors[largest], sizeof row);
        memcpy(e->vectors[largest], row, sizeof row);
        e->values[i] = e->values[largest];
        e->values[largest] = value;
    }
}

void cofi_eigen_decompose(CofiEigen *e)
{
    assert(e->n >= 1 && e->n <= N);
    double off[N + 1] = {0};
    make_tridiagonal(e, e->values, off);
    for (int first = 0; first < e->n; first++)
        for (int round = 0; round < MAX_ROUNDS; round++) {
            int last = block_end(e->values, off, e->n, first);
            if (last == first)
                break;
            ql_step(e, e->values, off, first, last);
        }
    sort_by_size(e);
}
